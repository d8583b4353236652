// Which range of x a zoomed card requests: more than is visible, so that panning has data, and rounded, so that a small
// move needs no request. Pure.

import type { Range, ScaleKind } from "../state/view/view";

export interface Detail {
  readonly range: Range | null;
  /** Pixel columns over the whole range, as fine as the visible part needs. */
  readonly width: number;
}

/** `isCrowd`: so many lines that extra data costs more than another request. */
export function detailFor(zoom: Range | null, widthPx: number, scale: ScaleKind, isCrowd = false): Detail {
  // Rounded, so that resizing the window does not send a request per pixel.
  const width = Math.max(64, Math.ceil(widthPx / 16) * 16);
  if (!zoom) return { range: null, width };
  const there = forward(scale, zoom);
  const [low, high] = [there(zoom[0]), there(zoom[1])];
  const span = high - low;
  const grid = 2 ** (Math.floor(Math.log2(span)) - 1);
  // Beyond float precision there is nothing to widen.
  if (!(grid > 0) || low + grid === low) return { range: zoom, width };
  const spare = isCrowd ? 0 : 1;
  const from = (Math.floor(low / grid) - spare) * grid;
  const to = (Math.ceil(high / grid) + spare) * grid;
  const back = backward(scale, zoom);
  return { range: [back(from), back(to)], width: Math.ceil((width * (to - from)) / span) };
}

type Map = (x: number) => number;
const same: Map = (x) => x;
const symlog: Map = (x) => Math.sign(x) * Math.log1p(Math.abs(x));

/** A log axis cannot show zero and below; there the scale is linear. */
const isLog = (scale: ScaleKind, zoom: Range): boolean => scale === "log" && zoom[0] > 0;
const forward = (scale: ScaleKind, zoom: Range): Map =>
  scale === "symlog" ? symlog : isLog(scale, zoom) ? Math.log : same;
const backward = (scale: ScaleKind, zoom: Range): Map =>
  scale === "symlog" ? (x) => Math.sign(x) * Math.expm1(Math.abs(x)) : isLog(scale, zoom) ? Math.exp : same;

/** Whether the outer range contains the inner one; null is everything. */
export const covers = (outer: Range | null, inner: Range | null): boolean =>
  outer === null || (inner !== null && outer[0] <= inner[0] && inner[1] <= outer[1]);
