// The median and the best of a metric along one setting: in a window that moves over the runs, or for each value where
// there are few. Pure.

import type { Goal } from "../answer";
import { type Ranks, RankWindow } from "./rank_window";

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
const MOST_POINTS = 40;

/** Rows that have both, from left to right. Sorted once for a column, and not for every brush. */
export function rowsAlong(places: ArrayLike<number>, metric: Ranks): Uint32Array {
  const rows: number[] = [];
  for (let row = 0; row < metric.of.length; row++)
    if (!Number.isNaN(places[row]) && (metric.of[row] as number) >= 0) rows.push(row);
  return Uint32Array.from(rows).sort((a, b) => (places[a] as number) - (places[b] as number) || a - b);
}

/** `isDiscrete`: one point for each place, else a moving window. */
export function sliceLines(
  along: Uint32Array,
  places: ArrayLike<number>,
  metric: Ranks,
  goal: Goal,
  isDiscrete: boolean,
  included: Uint8Array | null = null,
): SliceLines {
  const rows = included ? along.filter((row) => included[row] === 1) : along;
  const at: number[] = [];
  const median: number[] = [];
  const best: number[] = [];
  const n: number[] = [];
  const window = new RankWindow(metric);
  let [from, to] = [0, 0];
  for (const [start, end] of isDiscrete ? byPlace(rows, places) : windowsOf(rows.length)) {
    while (to < end) window.add(rows[to++] as number);
    while (from < start) window.remove(rows[from++] as number);
    const middle = rows[Math.floor((start + end - 1) / 2)] as number;
    const next = rows[Math.ceil((start + end - 1) / 2)] as number;
    at.push(((places[middle] as number) + (places[next] as number)) / 2);
    median.push(window.median);
    best.push(window.at(goal === "min" ? 0 : window.size - 1));
    n.push(window.size);
  }
  return { at, median, best, n };
}

type Stretch = readonly [start: number, end: number];

function byPlace(rows: Uint32Array, places: ArrayLike<number>): Stretch[] {
  const stretches: Stretch[] = [];
  for (let start = 0; start < rows.length;) {
    let end = start;
    while (end < rows.length && places[rows[end] as number] === places[rows[start] as number]) end++;
    stretches.push([start, end]);
    start = end;
  }
  return stretches;
}

function windowsOf(count: number): Stretch[] {
  if (count < LEAST) return [];
  const size = Math.max(LEAST, Math.round(count / WINDOWS));
  const starts = count - size;
  const points = Math.min(MOST_POINTS, starts + 1);
  return Array.from({ length: points }, (_, i) => {
    const start = points === 1 ? 0 : Math.round((i * starts) / (points - 1));
    return [start, start + size];
  });
}
