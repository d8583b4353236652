// One line as an SVG path, for the line that is brought forward. All other lines are the worker's.

import { lowerBound, type Series, xOf } from "./model";
import type { Scale } from "./scale";

export function linePath(series: Series, x: Scale, y: Scale, fromPx: number, toPx: number): string {
  const { y: ys, isSorted } = series;
  const xs = xOf(series);
  const first = isSorted ? lowerBound(xs, x.domain[0]) : 0;
  const last = isSorted ? lowerBound(xs, x.domain[1]) : xs.length - 1;
  let path = "";
  let inGap = true;
  for (let i = first; i <= last && i < xs.length; i++) {
    const xPx = x.toPx(xs[i] as number);
    const yPx = y.toPx(ys[i] as number);
    const isHere = Number.isFinite(yPx) && xPx >= fromPx - 1 && xPx <= toPx + 1;
    if (isHere) path += `${inGap ? "M" : "L"}${xPx.toFixed(1)} ${yPx.toFixed(1)}`;
    inGap = !isHere;
  }
  return path;
}
