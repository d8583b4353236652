// The ends of custom axes as the user writes them: a text, a whole value in quotes, `column = value`, or points that
// were selected. Pure.

import type { AxisEnd } from "../answer";

/** What a field of an axis holds. `rows`: base64, as a question carries them. */
export interface EndText {
  readonly text: string;
  readonly rows: string | null;
}
export const NO_END: EndText = { text: "", rows: null };

const CONDITION = /^(.+?)\s*==?\s*(.+)$/s;

/** Null: the field is empty. */
export function readEnd({ text, rows }: EndText, columns: readonly string[]): AxisEnd | null {
  if (rows !== null) return { rows };
  const plain = text.trim();
  if (plain === "") return null;
  const [, column, value] = CONDITION.exec(plain) ?? [];
  if (column !== undefined && value !== undefined && columns.includes(column)) return { column, value };
  const [, exact] = /^"(.+)"$/s.exec(plain) ?? [];
  return exact === undefined ? { q: plain, column: null, mode: "text" } : { q: exact, column: null, mode: "exact" };
}

export function writeEnd(end: AxisEnd | undefined): EndText {
  if (!end) return NO_END;
  if ("rows" in end) return { text: "selected points", rows: end.rows };
  if ("value" in end) return { text: `${end.column} = ${end.value}`, rows: null };
  return { text: end.mode === "exact" ? `"${end.q}"` : end.q, rows: null };
}
