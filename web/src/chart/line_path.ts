// One line as an SVG path, with what has no place on it: dots and marks.

import type { AxisSide, Series } from "./model";
import type { Projection } from "./projection";

export interface LinePath {
  readonly path: string;
  readonly dots: readonly (readonly [number, number])[];
  readonly marks: readonly { readonly xPx: number; readonly value: number }[];
}

export function linePath(projection: Projection, series: Series, side: AxisSide): LinePath {
  const parts: string[] = [];
  const dots: [number, number][] = [];
  const marks: { xPx: number; value: number }[] = [];
  projection.trace(series, side, {
    move: (xPx, yPx) => void parts.push(`M${xPx.toFixed(1)} ${yPx.toFixed(1)}`),
    line: (xPx, yPx) => void parts.push(`L${xPx.toFixed(1)} ${yPx.toFixed(1)}`),
    dot: (xPx, yPx) => void dots.push([xPx, yPx]),
    mark: (xPx, value) => void marks.push({ xPx, value }),
  });
  return { path: parts.join(""), dots, marks };
}
