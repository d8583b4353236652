// Where the examples of dashboards log to, as Python code.

/** A run in this folder. JSON quotes paths as Python does. */
export const inside = (folder: string, name: string): string => JSON.stringify(`${folder.replace(/\/+$/, "")}/${name}`);
