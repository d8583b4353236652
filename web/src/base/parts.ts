// Joins texts with semicolons and splits them again; a backslash escapes a semicolon or backslash inside a text.

// Almost no text contains either, and there are thousands of texts.
export const escapePart = (part: string): string =>
  part.includes(";") || part.includes("\\") ? part.replace(/[\\;]/g, "\\$&") : part;
export const writeParts = (parts: readonly string[]): string => parts.map(escapePart).join(";");

/** The first part, and the rest if there is more. */
export function splitParts(joined: string): [string, string?] {
  const cut = /^((?:[^\\;]|\\[\s\S])*);([\s\S]*)$/.exec(joined);
  return cut ? [unescapePart(cut[1] as string), cut[2] as string] : [unescapePart(joined)];
}
const unescapePart = (part: string): string => part.replace(/\\([\s\S])/g, "$1");

export function readParts(joined: string): string[] {
  const parts: string[] = [];
  let rest = joined;
  for (;;) {
    const [part, more] = splitParts(rest);
    parts.push(part);
    if (more === undefined) return parts;
    rest = more;
  }
}
