// The best value so far, as runs come in: over their number and over time. Pure.

import type { Goal } from "../answer";

export const isBetter = (value: number, than: number, goal: Goal): boolean =>
  Number.isNaN(than) ? !Number.isNaN(value) : goal === "min" ? value < than : value > than;

export interface Record {
  readonly row: number;
  readonly value: number;
  /** How many runs had been made when it came, itself included. */
  readonly count: number;
  /** Seconds since 1970; NaN where it is not known. */
  readonly time: number;
  /** How much it improved on the one before; NaN for the first. */
  readonly gain: number;
}

export interface Progress {
  /** Rows in the order in which they came. */
  readonly order: readonly number[];
  /** The best value after each row of `order`; NaN as long as there is none. */
  readonly best: Float64Array;
  readonly records: readonly Record[];
}

/** `times`: when the result of each row was there. Rows without a time come last, in the order of the table. */
export function bestSoFar(
  values: Float64Array,
  goal: Goal,
  times: Float64Array,
  included: Uint8Array | null = null,
): Progress {
  const order = [...values.keys()]
    .filter((row) => included?.[row] !== 0)
    .sort((a, b) => compareTimes(times[a] as number, times[b] as number) || a - b);
  const best = new Float64Array(order.length);
  const records: Record[] = [];
  let sofar = Number.NaN;
  order.forEach((row, i) => {
    const value = values[row] as number;
    if (isBetter(value, sofar, goal)) {
      records.push({ row, value, count: i + 1, time: times[row] as number, gain: Math.abs(value - sofar) });
      sofar = value;
    }
    best[i] = sofar;
  });
  return { order, best, records };
}

function compareTimes(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1;
  return Number.isNaN(b) ? -1 : a - b;
}

/** How many runs came since the last record: long ones say that the search has run dry. */
export function runsSinceRecord({ order, records }: Progress): number {
  const last = records.at(-1);
  return last ? order.length - last.count : order.length;
}
