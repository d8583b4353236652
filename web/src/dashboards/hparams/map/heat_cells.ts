// A metric over two settings as a grid of cells with means and counts. Pure.

import type { Goal } from "../answer";
import type { Bins } from "../bins";

export interface HeatCells {
  readonly columns: number;
  readonly rows: number;
  /** Row by row, from the first bin of each. */
  readonly n: Int32Array;
  /** NaN: no run in the cell. */
  readonly mean: Float64Array;
}

export function heatCells(x: Bins, y: Bins, metric: Float64Array, included: Uint8Array | null = null): HeatCells {
  const columns = x.labels.length;
  const rows = y.labels.length;
  const n = new Int32Array(columns * rows);
  const sum = new Float64Array(columns * rows);
  for (let row = 0; row < metric.length; row++) {
    const column = x.of[row] as number;
    const line = y.of[row] as number;
    const value = metric[row] as number;
    if (column < 0 || line < 0 || Number.isNaN(value) || included?.[row] === 0) continue;
    const cell = line * columns + column;
    n[cell] = (n[cell] as number) + 1;
    sum[cell] = (sum[cell] as number) + value;
  }
  return { columns, rows, n, mean: sum.map((total, cell) => (n[cell] ? total / (n[cell] as number) : Number.NaN)) };
}

/** The best mean of several runs; of single runs only if no cell has more. −1: all are empty. */
export function bestCell({ n, mean }: HeatCells, goal: Goal): number {
  const least = n.some((count) => count > 1) ? 2 : 1;
  let best = -1;
  mean.forEach((value, cell) => {
    if ((n[cell] as number) < least) return;
    const other = mean[best];
    if (other === undefined || (goal === "min" ? value < other : value > other)) best = cell;
  });
  return best;
}
