// One line as an SVG path, with the dots and marks that are not part of it.

import type { AxisSide, Series } from "./model";
import { GAP, PARTS, type Projection, type Polyline } from "./projection";

export interface LinePath extends Pick<Polyline, "marks"> {
  readonly path: string;
  readonly dots: readonly (readonly [number, number])[];
}

export function linePath(projection: Projection, series: Series, side: AxisSide): LinePath {
  const { xy, length, dots, marks } = projection.project(series, side);
  let path = "";
  let pen = "M";
  for (let i = 0; i < length; i += 2) {
    const isEnd = xy[i] === GAP;
    if (!isEnd) path += `${pen}${toPx(xy[i])} ${toPx(xy[i + 1])}`;
    pen = isEnd ? "M" : "L";
  }
  const points = Array.from({ length: dots.length / 2 }, (_, i) => [dots[2 * i], dots[2 * i + 1]] as [number, number]);
  return { path, dots: points, marks };
}

const toPx = (at: number | undefined): string => ((at ?? 0) / PARTS).toFixed(1);
