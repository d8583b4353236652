// Sorts the ranking by one column, with unknown values last. Pure.

import type { components } from "../../api/types.gen";

export type RankedSeries = components["schemas"]["RankedSeries"];
export type RankColumn = "relative" | "distance" | "zeros" | "saturation" | "not_finite";

export const COLUMNS: readonly { name: RankColumn; label: string; hint: string }[] = [
  {
    name: "relative",
    label: "change (σ)",
    hint: "Wasserstein distance, in standard deviations of the reference",
  },
  { name: "distance", label: "change", hint: "Wasserstein distance, in units of the values" },
  {
    name: "zeros",
    label: "zeros",
    hint: "Share of values in the bucket that contains 0: an upper bound for exact zeros",
  },
  { name: "saturation", label: "saturated", hint: "Share in the outer 5 % of the range, both ends together" },
  { name: "not_finite", label: "NaN, ∞", hint: "Values that are not finite" },
];

/** NaN if unknown. */
export function rankValue(row: RankedSeries, column: RankColumn): number {
  const value = column === "zeros" ? row.zeros_at_most : row[column];
  return value === null ? Number.NaN : Number(value);
}

export function sortRanking(rows: readonly RankedSeries[], column: RankColumn, isAscending: boolean): RankedSeries[] {
  const sign = isAscending ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [rankValue(a, column), rankValue(b, column)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return (x - y) * sign;
  });
}
