// Where the examples of dashboards log to, as Python writes it.

/** A run in this folder. JSON's quoting of a path is Python's too. */
export const inside = (folder: string, name: string): string => JSON.stringify(`${folder.replace(/\/+$/, "")}/${name}`);
