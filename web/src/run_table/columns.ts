// The list of columns of the run table: widths, order, and the next sort order. Pure.

import { columnKey } from "../state/view/url";
import type { RunColumn, RunSort } from "../state/view/view";

/** The usual width of a column. */
export const COLUMN_PX = 78;
export const MIN_COLUMN_PX = 36;
export const NAME_PX = 150;
const MAX_FITTED_PX = 180;
const MIN_FITTED_PX = 52;
/** And a little: the text with the most letters, which is measured, need not be the widest. */
const CELL_PADDING_PX = 14 + 4;
/** With room for the button that opens the menu. */
const HEAD_PADDING_PX = 28;

/** The width that a column needs for its longest cell and its head, within limits. */
export function fitColumn(cellPx: number, headPx: number): number {
  const px = Math.max(cellPx + CELL_PADDING_PX, headPx + HEAD_PADDING_PX);
  return Math.round(Math.min(Math.max(px, MIN_FITTED_PX), MAX_FITTED_PX));
}

/**
 * The tracks of the grid, and the width below which it scrolls. The names take the remaining width, unless resized.
 * `fittedPx`: of each column that the user has not resized.
 */
export function layOutColumns(
  columns: readonly RunColumn[],
  widthsPx: Readonly<Record<string, number>>,
  fittedPx: readonly number[] = [],
): { tracks: string; minWidthPx: number } {
  const named = widthsPx["name"];
  const widths = columns.map((column, i) => widthsPx[columnKey(column)] ?? fittedPx[i] ?? COLUMN_PX);
  const tracks = [
    named === undefined ? `minmax(${NAME_PX}px, 1fr)` : `minmax(${named}px, 1fr)`,
    ...widths.map((px) => `${px}px`),
  ].join(" ");
  return { tracks, minWidthPx: widths.reduce((sum, px) => sum + px, named ?? NAME_PX) };
}

/** Moves one column; beyond an end nothing changes. */
export function moveColumn(columns: readonly RunColumn[], from: number, to: number): readonly RunColumn[] {
  const column = columns[from];
  if (!column || to < 0 || to >= columns.length) return columns;
  const others = columns.filter((_, i) => i !== from);
  return [...others.slice(0, to), column, ...others.slice(to)];
}

/** Ascending, descending, natural order; the default order of names is ascending. */
export function nextSort(sort: RunSort | null, column: string): RunSort | null {
  if (column === "name") return sort?.column === "name" ? null : { column, isDescending: sort === null };
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? null : { column, isDescending: true };
}

export const hasColumn = (columns: readonly RunColumn[], column: RunColumn): boolean =>
  columns.some((each) => columnKey(each) === columnKey(column));

export function withoutColumn(columns: readonly RunColumn[], column: RunColumn): readonly RunColumn[] {
  return columns.filter((each) => columnKey(each) !== columnKey(column));
}

export function isNumericColumn(
  column: RunColumn,
  hparams: readonly { readonly name: string; readonly type: string }[],
): boolean {
  if (column.kind === "hparam") return hparams.some(({ name, type }) => name === column.name && type === "number");
  return column.kind === "metric" || column.name !== "note";
}
