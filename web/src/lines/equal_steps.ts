// Several values at one step, smoothed: the line shows what the step ends with. Otherwise it would have a vertical tick
// there, most often at its end, where a last evaluation is logged again. Pure.

import type { Series } from "../chart/model";

const withRepeats = new WeakMap<Float64Array, boolean>();

/** Tables are shared by lines, and most have no entry twice. */
function hasRepeats(table: Float64Array): boolean {
  let has = withRepeats.get(table);
  if (has === undefined) {
    has = false;
    for (let i = 1; i < table.length && !has; i++) has = table[i] === table[i - 1];
    withRepeats.set(table, has);
  }
  return has;
}

/** The same line with the last value of each x at all its points. */
export function levelEqualSteps(series: Series): Series {
  const { table, mask } = series;
  if (!hasRepeats(table)) return series;
  const y = series.y.slice();
  let at = y.length - 1;
  let next = Number.NaN;
  for (let i = table.length - 1; i >= 0 && at >= 0; i--) {
    if (mask && !((mask[i >> 3] as number) & (1 << (i & 7)))) continue;
    const x = table[i] as number;
    if (x === next && Number.isFinite(y[at]) && Number.isFinite(y[at + 1])) y[at] = y[at + 1] as number;
    next = x;
    at--;
  }
  return { ...series, y };
}
