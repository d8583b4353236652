// Positions of points with their metadata, as CSV. Pure.

import type { Column } from "../answer";
import { cellOf } from "../columns.svelte";

const quoted = (cell: string | number | null): string => {
  const text = cell === null ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** `positions`: three numbers per row, NaN where a row has no place. */
export function writePositions(positions: Float32Array, dimensions: 2 | 3, columns: readonly Column[]): string {
  const axes = ["x", "y", "z"].slice(0, dimensions);
  const lines = [["row", ...axes, ...columns.map(({ name }) => quoted(name))].join(",")];
  const count = Math.floor(positions.length / 3);
  for (let row = 0; row < count; row++) {
    if (Number.isNaN(positions[3 * row])) continue;
    const place = axes.map((_, axis) => String(positions[3 * row + axis]));
    lines.push([String(row), ...place, ...columns.map((column) => quoted(cellOf(column, row)))].join(","));
  }
  return `${lines.join("\r\n")}\r\n`;
}
