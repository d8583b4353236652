// What the selected points have in common: counts of a column's categories, or the range of its numbers. Pure.

import type { Column } from "../answer";

export interface Share {
  readonly level: string;
  /** -1: without a value. */
  readonly code: number;
  readonly count: number;
}

/** Categories in the selection, the most frequent first. */
export function sharesOf(column: Column, isSelected: Uint8Array): Share[] {
  if (column.type === "number") return [];
  const { codes, levels } = column;
  const counts = new Int32Array(levels.length + 1);
  const length = Math.min(codes.length, isSelected.length);
  for (let row = 0; row < length; row++) if (isSelected[row]) counts[(codes[row] as number) + 1]!++;
  return Array.from(counts, (count, i) => ({ level: levels[i - 1] ?? "", code: i - 1, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || a.code - b.code);
}

export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
  readonly count: number;
}

/** Null: no selected point has a number. */
export function spreadOf(column: Column, isSelected: Uint8Array): Spread | null {
  if (column.type !== "number") return null;
  const chosen = column.numbers.filter((value, row) => isSelected[row] && !Number.isNaN(value)).sort();
  const count = chosen.length;
  if (count === 0) return null;
  const middle = (count - 1) / 2;
  const median = ((chosen[Math.floor(middle)] as number) + (chosen[Math.ceil(middle)] as number)) / 2;
  return { low: chosen[0] as number, median, high: chosen[count - 1] as number, count };
}

/** How many percent of all numbers are at least as extreme; null: nothing special, or too few to say. */
export function extremeShare(values: Float64Array, value: number): { top: boolean; percent: number } | null {
  const FEW = 20;
  const NOTABLE_PERCENT = 5;
  let [above, below, known] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const each = values[i] as number;
    if (Number.isNaN(each)) continue;
    known++;
    if (each >= value) above++;
    if (each <= value) below++;
  }
  if (known < FEW) return null;
  const top = above <= below;
  const percent = (100 * Math.min(above, below)) / known;
  return percent <= NOTABLE_PERCENT ? { top, percent: Math.max(1, Math.round(percent)) } : null;
}
