// What this browser remembers. Storage may be full, or closed to pages in frames: then things are remembered until the
// page is shut, and `isLasting` says so.

const PREFIX = "runglass-";
const memory = new Map<string, string>();
let canWrite = true;

/** Whether the last thing written will be there after a reload. */
export const isLasting = (): boolean => canWrite;

export function recall(key: string): string | null {
  try {
    return memory.get(key) ?? localStorage.getItem(PREFIX + key);
  } catch {
    return memory.get(key) ?? null;
  }
}

export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
    memory.delete(key);
    canWrite = true;
  } catch {
    canWrite = false;
    if (value === null) memory.delete(key);
    else memory.set(key, value);
  }
}

/** As recall, for JSON. What cannot be understood counts as not there. */
export function recallJson(key: string): unknown {
  try {
    return JSON.parse(recall(key) ?? "null");
  } catch {
    return null;
  }
}

/** Calls back when another tab has written this key; returns the function that stops it. */
export function onOtherTab(key: string, changed: () => void): () => void {
  const listen = (event: StorageEvent): void => {
    if (event.key === PREFIX + key) changed();
  };
  addEventListener("storage", listen);
  return () => removeEventListener("storage", listen);
}
