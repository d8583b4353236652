// Which metric to set against the main one: the one that gets worse when the main one gets better. Pure.

import type { Column } from "../columns";
import { rankCorrelation } from "../statistics";

/** −1: what is good in one is bad in the other; 1: they agree. NaN without rows that have both. */
export function agreement(a: Column, b: Column): number {
  const sign = (a.goal ?? "min") === (b.goal ?? "min") ? 1 : -1;
  return sign * rankCorrelation(a.numbers, b.numbers).value;
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
