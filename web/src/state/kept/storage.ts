// What this browser stores. Storage may be full, or blocked for pages in frames: then values last until the page is
// closed, and `isLasting` returns false.

const PREFIX = "runglass-";
const PROBE = "probe";
const FORMAT = "runglass-browser";
const memory = new Map<string, string>();
let canWrite = true;

/** Whether a value written now survives a reload. */
export function isLasting(): boolean {
  if (!canWrite) return false;
  try {
    localStorage.setItem(PREFIX + PROBE, "1");
    localStorage.removeItem(PREFIX + PROBE);
    return true;
  } catch {
    return false;
  }
}

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

/** Like `recall`, for JSON. Null for invalid JSON. */
export function recallJson(key: string): unknown {
  try {
    return JSON.parse(recall(key) ?? "null");
  } catch {
    return null;
  }
}

/** Calls back when another tab, or an import, has written this key; returns the function that stops it. */
export function onOtherTab(key: string, changed: () => void): () => void {
  const listen = (event: StorageEvent): void => {
    // Null: everything was cleared.
    if (event.key === PREFIX + key || event.key === null) changed();
  };
  addEventListener("storage", listen);
  return () => removeEventListener("storage", listen);
}

/** Everything that is stored, by key. */
export function recallAll(): Map<string, string> {
  const kept = new Map<string, string>();
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(PREFIX)) kept.set(key.slice(PREFIX.length), localStorage.getItem(key) ?? "");
  } catch {
    // Blocked: only what this page has written.
  }
  return new Map([...kept, ...memory]);
}

/** Stores these; with `isWhole` only these. Notifies those who listen for other tabs. */
export function rememberAll(entries: ReadonlyMap<string, string>, { isWhole = false } = {}): void {
  if (isWhole) for (const key of recallAll().keys()) if (!entries.has(key)) remember(key, null);
  for (const [key, value] of entries) remember(key, value);
  dispatchEvent(new StorageEvent("storage", { key: null }));
}

/** Everything that is kept, as one file. Each part is checked where it is read. */
export function encodeKept(entries: ReadonlyMap<string, string>): string {
  return JSON.stringify({ format: FORMAT, version: 1, kept: Object.fromEntries(entries) }, null, 1);
}

/** Null when the text is not such a file. */
export function parseKept(text: string): Map<string, string> | null {
  let read: { format?: unknown; kept?: unknown } | null;
  try {
    read = JSON.parse(text) as typeof read;
  } catch {
    return null;
  }
  if (read?.format !== FORMAT || typeof read.kept !== "object" || read.kept === null) return null;
  return new Map(Object.entries(read.kept).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
