// What stretch of x to ask for when a card is zoomed: more than is seen, so that panning has data, and in steps, so
// that a small move asks for nothing. Pure.

import type { Range, ScaleKind } from "../state/view/view";

export interface Detail {
  readonly range: Range | null;
  /** Pixel columns over the whole range, as fine as the seen part needs. */
  readonly width: number;
}

/** `isCrowd`: so many lines that data beside the picture costs more than asking again for it. */
export function detailFor(zoom: Range | null, widthPx: number, scale: ScaleKind, isCrowd = false): Detail {
  // In steps, so that dragging the window's edge does not ask for every pixel.
  const width = Math.max(64, Math.ceil(widthPx / 16) * 16);
  if (!zoom) return { range: null, width };
  const there = forward(scale, zoom);
  const [low, high] = [there(zoom[0]), there(zoom[1])];
  const span = high - low;
  const grid = 2 ** (Math.floor(Math.log2(span)) - 1);
  // Past what a float can tell apart there is nothing to widen.
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

/** A log axis has no place for zero and below; there the steps are even. */
const isLog = (scale: ScaleKind, zoom: Range): boolean => scale === "log" && zoom[0] > 0;
const forward = (scale: ScaleKind, zoom: Range): Map =>
  scale === "symlog" ? symlog : isLog(scale, zoom) ? Math.log : same;
const backward = (scale: ScaleKind, zoom: Range): Map =>
  scale === "symlog" ? (x) => Math.sign(x) * Math.expm1(Math.abs(x)) : isLog(scale, zoom) ? Math.exp : same;

/** Whether everything between the inner bounds is between the outer ones; null is everything. */
export const covers = (outer: Range | null, inner: Range | null): boolean =>
  outer === null || (inner !== null && outer[0] <= inner[0] && inner[1] <= outer[1]);
