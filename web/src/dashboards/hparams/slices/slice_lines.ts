// The median and the best of a metric along one setting: in a window that moves over the runs, or for each value where
// there are few. Pure.

import type { Goal } from "../answer";
import { isBetter } from "../best/best_so_far";
import { medianOf } from "../statistics";

/** Points from left to right, in places along the axis and values of the metric. */
export interface SliceLines {
  readonly at: readonly number[];
  readonly median: readonly number[];
  readonly best: readonly number[];
  /** Runs behind each point. */
  readonly n: readonly number[];
}

const LEAST = 5;
const WINDOWS = 8;
/** Points of a line: more cannot be seen in a small chart. */
const MOST_POINTS = 60;

/** `isDiscrete`: one point for each place, else a moving window. */
export function sliceLines(
  places: ArrayLike<number>,
  metric: Float64Array,
  goal: Goal,
  isDiscrete: boolean,
  included: Uint8Array | null = null,
): SliceLines {
  const rows: number[] = [];
  for (let row = 0; row < metric.length; row++)
    if (included?.[row] !== 0 && !Number.isNaN((places[row] as number) + (metric[row] as number))) rows.push(row);
  rows.sort((a, b) => (places[a] as number) - (places[b] as number) || a - b);
  return isDiscrete ? byPlace(rows, places, metric, goal) : moving(rows, places, metric, goal);
}

function byPlace(rows: readonly number[], places: ArrayLike<number>, metric: Float64Array, goal: Goal): SliceLines {
  const groups: number[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last && places[last[0] as number] === places[row]) last.push(row);
    else groups.push([row]);
  }
  return pointsOf(groups, places, metric, goal);
}

function moving(rows: readonly number[], places: ArrayLike<number>, metric: Float64Array, goal: Goal): SliceLines {
  if (rows.length < LEAST) return pointsOf([], places, metric, goal);
  const size = Math.max(LEAST, Math.round(rows.length / WINDOWS));
  const starts = rows.length - size;
  const points = Math.min(MOST_POINTS, starts + 1);
  const windows = Array.from({ length: points }, (_, i) => {
    const start = points === 1 ? 0 : Math.round((i * starts) / (points - 1));
    return rows.slice(start, start + size);
  });
  return pointsOf(windows, places, metric, goal);
}

function pointsOf(
  groups: readonly (readonly number[])[],
  places: ArrayLike<number>,
  metric: Float64Array,
  goal: Goal,
): SliceLines {
  return {
    at: groups.map((rows) => medianOf(rows.map((row) => places[row] as number))),
    median: groups.map((rows) => medianOf(rows.map((row) => metric[row] as number))),
    best: groups.map((rows) =>
      rows.reduce(
        (best, row) => (isBetter(metric[row] as number, best, goal) ? (metric[row] as number) : best),
        Number.NaN,
      ),
    ),
    n: groups.map((rows) => rows.length),
  };
}
