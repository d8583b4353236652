// Rows of the table sorted into the values of a column, or into intervals of it where it has too many values. Pure.

import { type Column, numberText } from "./columns";
import { quantile } from "./scales";
import { sortedValues } from "./statistics";

type Values = Pick<Column, "kind" | "type" | "numbers" | "levels">;

export interface Bins {
  readonly labels: readonly string[];
  /** The bin of each row, −1 for rows without a value. */
  readonly of: Int32Array;
  /** Lowest and highest value of each bin; equal where the bin is one value. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly isDiscrete: boolean;
}

/** So few numbers tell nothing of how they were chosen. */
const FEW = 4;

/** Its values were picked from a list: there are no more than `most`, and they repeat. */
export function isDiscrete({ levels, distinct, missing, numbers }: Column, most: number): boolean {
  if (levels) return true;
  return distinct <= FEW || (distinct <= most && numbers.length - missing >= 2 * distinct);
}

/** Distinct values, ascending; null if there are more than `most`. */
export function distinctValues(numbers: Float64Array, most: number): number[] | null {
  const found = new Set<number>();
  for (const value of numbers) {
    if (Number.isNaN(value)) continue;
    found.add(value);
    if (found.size > most) return null;
  }
  return [...found].sort((a, b) => a - b);
}

/** A bin for each value that occurs; null if there are more than `most`. */
export function discreteBins(column: Values, most: number): Bins | null {
  const { numbers, levels } = column;
  const values = distinctValues(numbers, most);
  if (!values) return null;
  const index = new Map(values.map((value, i) => [value, i]));
  return {
    labels: values.map((value) => (levels ? (levels[value] ?? "") : numberText(column, value))),
    of: Int32Array.from(numbers, (value) => index.get(value) ?? -1),
    ranges: values.map((value) => [value, value]),
    isDiscrete: true,
  };
}

/** The commonest values, each a bin, and the others together as the last one: for columns with too many values. */
export function commonBins(column: Values, most: number): Bins {
  const { numbers, levels } = column;
  const counts = new Map<number, number>();
  for (const value of numbers) if (!Number.isNaN(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const common = [...counts].sort((a, b) => b[1] - a[1]).slice(0, most - 1);
  const values = common.map(([value]) => value).sort((a, b) => a - b);
  const index = new Map(values.map((value, i) => [value, i]));
  const others = counts.size - values.length;
  return {
    labels: [
      ...values.map((value) => (levels ? (levels[value] ?? "") : numberText(column, value))),
      ...(others > 0 ? [`${others} others`] : []),
    ],
    of: Int32Array.from(numbers, (value) => (Number.isNaN(value) ? -1 : (index.get(value) ?? values.length))),
    ranges: [
      ...values.map((value) => [value, value] as const),
      ...(others > 0 ? [[Number.NaN, Number.NaN] as const] : []),
    ],
    isDiscrete: true,
  };
}

/** Intervals with about as many rows each; fewer than `count` where values repeat. */
export function quantileBins(column: Values, count: number): Bins {
  const { numbers } = column;
  const sorted = sortedValues(numbers);
  if (sorted.length === 0)
    return { labels: [], of: new Int32Array(numbers.length).fill(-1), ranges: [], isDiscrete: false };
  const edges = Array.from({ length: count - 1 }, (_, i) => quantile(sorted, (i + 1) / count));
  const inner = [...new Set(edges)].filter((edge) => edge > (sorted[0] as number));
  return binsBetween(column, inner);
}

/** Intervals of equal width on an axis: `place` puts a value at 0 to 1. */
export function evenBins(
  column: Values,
  place: (value: number) => number,
  valueAt: (place: number) => number,
  count: number,
): Bins {
  const of = Int32Array.from(column.numbers, (value) => {
    const at = Number.isNaN(value) ? Number.NaN : place(value);
    return Number.isNaN(at) ? -1 : Math.min(count - 1, Math.max(0, Math.floor(at * count)));
  });
  const ranges = Array.from({ length: count }, (_, i) => [valueAt(i / count), valueAt((i + 1) / count)] as const);
  return { labels: ranges.map((range) => rangeText(column, range)), of, ranges, isDiscrete: false };
}

/** A value at an edge belongs to the bin above it. */
function binsBetween(column: Values, inner: readonly number[]): Bins {
  const ranges = Array.from({ length: inner.length + 1 }, (): [number, number] => [Infinity, -Infinity]);
  const of = Int32Array.from(column.numbers, (value) => {
    if (Number.isNaN(value)) return -1;
    let bin = 0;
    while (bin < inner.length && value >= (inner[bin] as number)) bin++;
    const range = ranges[bin] as [number, number];
    range[0] = Math.min(range[0], value);
    range[1] = Math.max(range[1], value);
    return bin;
  });
  return { labels: ranges.map((range) => rangeText(column, range)), of, ranges, isDiscrete: false };
}

const rangeText = (column: Values, [low, high]: readonly [number, number]): string =>
  low === high ? numberText(column, low) : `${numberText(column, low)} … ${numberText(column, high)}`;
