// Which metric to set against the main one: the one that gets worse when the main one gets better. Pure.

import type { Column } from "../columns";

/** −1: what is good in one is bad in the other; 1: they agree. By rank, over rows that have both; NaN without any. */
export function agreement(a: Column, b: Column): number {
  const rows: number[] = [];
  for (let row = 0; row < a.numbers.length; row++)
    if (!Number.isNaN((a.numbers[row] as number) + (b.numbers[row] as number))) rows.push(row);
  if (rows.length < 3) return Number.NaN;
  const ranksA = ranksOf(rows.map((row) => a.numbers[row] as number));
  const ranksB = ranksOf(rows.map((row) => b.numbers[row] as number));
  const middle = (rows.length - 1) / 2;
  let product = 0;
  let squareA = 0;
  let squareB = 0;
  ranksA.forEach((rank, i) => {
    const fromA = rank - middle;
    const fromB = (ranksB[i] as number) - middle;
    product += fromA * fromB;
    squareA += fromA * fromA;
    squareB += fromB * fromB;
  });
  const sign = (a.goal ?? "min") === (b.goal ?? "min") ? 1 : -1;
  return (sign * product) / Math.sqrt(squareA * squareB);
}

/** Equal values share the middle of their ranks. */
function ranksOf(values: readonly number[]): Float64Array {
  const order = Uint32Array.from(values.keys()).sort((a, b) => (values[a] as number) - (values[b] as number));
  const ranks = new Float64Array(values.length);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end < order.length && values[order[end] as number] === values[order[start] as number]) end++;
    for (let i = start; i < end; i++) ranks[order[i] as number] = (start + end - 1) / 2;
    start = end;
  }
  return ranks;
}

/** Null if there is no other metric that varies. */
export function mostConflicting(metrics: readonly Column[], main: Column): Column | null {
  let least = Infinity;
  let found: Column | null = null;
  for (const metric of metrics) {
    if (metric.id === main.id || metric.distinct < 2) continue;
    const value = agreement(main, metric);
    // One that has no run in common with the main metric is better than none.
    const cost = Number.isNaN(value) ? 2 : value;
    if (cost < least) [least, found] = [cost, metric];
  }
  return found;
}
