// Metadata as TensorBoard reads it, with the tags of the user. Pure.

import type { Column } from "../answer";
import { cellOf } from "../columns.svelte";

// The format has no quotes: what separates cells and rows cannot stand inside. A blank line would be skipped.
const clean = (cell: string | number | null): string =>
  cell === null
    ? ""
    : String(cell)
        .replaceAll("\t", "\\t")
        .replace(/\r?\n|\r/g, "\\n");

/** A heading only where there are several columns. `rows`: null: all. */
export function writeTsv(columns: readonly Column[], count: number, rows: ArrayLike<number> | null): string {
  const lines = columns.length > 1 ? [columns.map(({ name }) => clean(name)).join("\t")] : [];
  const length = rows?.length ?? count;
  for (let i = 0; i < length; i++) {
    const row = rows ? (rows[i] as number) : i;
    const line = columns.map((column) => clean(cellOf(column, row))).join("\t");
    lines.push(line === "" ? "(empty)" : line);
  }
  return `${lines.join("\n")}\n`;
}
