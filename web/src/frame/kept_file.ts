// Everything the browser keeps as one file, and back. Each part is checked by whoever reads it. Pure.

const FORMAT = "runglass-browser";

export function encodeKept(entries: ReadonlyMap<string, string>): string {
  return JSON.stringify({ format: FORMAT, version: 1, kept: Object.fromEntries(entries) }, null, 1);
}

/** Null when the text is no such file. */
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
