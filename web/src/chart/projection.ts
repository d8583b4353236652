// Where one frame puts every point: x of whole tables at once, y by a function of each axis. Shared by everything that
// draws, on the page, in the worker and in exports.

import { type AxisSide, type Frame, lowerBound, type Plot, plotOf, type Series, writeX } from "./model";
import { makeScale } from "./scale";

// A canvas counts in float32; beyond this a line's direction would suffer.
const FAR_PX = 1e6;
const far = (px: number): number => (px > FAR_PX ? FAR_PX : px < -FAR_PX ? -FAR_PX : px);

/** Called for every piece of a line in turn. */
export interface Pen {
  move(xPx: number, yPx: number): void;
  line(xPx: number, yPx: number): void;
  /** A point without neighbours: there is no line for it to be on. */
  dot(xPx: number, yPx: number): void;
  /** A point that is not finite. */
  mark(xPx: number, value: number): void;
}

// Every line's x is written here in turn: a thousand lines need no memory of their own for it.
let scratch = new Float64Array(0);

export class Projection {
  readonly plot: Plot;
  readonly #xPx: (value: number) => number;
  readonly #yPx: Readonly<Record<AxisSide, (value: number) => number>>;
  readonly #tables = new Map<Float64Array, Float64Array>();

  constructor(private readonly frame: Frame) {
    const { left, right, top, bottom } = (this.plot = plotOf(frame));
    this.#xPx = makeScale(frame.x.kind, frame.x.domain, [left, right]).toPx;
    this.#yPx = {
      left: makeScale(frame.y.kind, frame.y.domain, [bottom, top]).toPx,
      right: makeScale(frame.y2.kind, frame.y2.domain, [bottom, top]).toPx,
    };
  }

  /** A table's entries in pixels; minus infinity for what the scale cannot show, so that they stay sorted. */
  table(table: Float64Array): Float64Array {
    let px = this.#tables.get(table);
    if (!px) {
      px = new Float64Array(table.length);
      for (let i = 0; i < table.length; i++) {
        const at = this.#xPx(table[i] as number);
        px[i] = at !== at ? Number.NEGATIVE_INFINITY : at;
      }
      this.#tables.set(table, px);
    }
    return px;
  }

  yPx(side: AxisSide): (value: number) => number {
    return this.#yPx[side];
  }

  trace(series: Series, side: AxisSide, pen: Pen): void {
    const { y, mask, isSorted } = series;
    let x = this.table(series.table);
    if (mask) {
      if (scratch.length < y.length) scratch = new Float64Array(y.length * 2);
      const masked = scratch.subarray(0, y.length);
      writeX(x, mask, masked);
      x = masked;
    }
    const toPx = this.#yPx[side];
    const { breaksFalls } = this.frame;
    // One point beyond either edge, so that the line enters and leaves the picture.
    const first = isSorted ? Math.max(0, lowerBound(x, this.plot.left) - 1) : 0;
    const last = isSorted ? Math.min(x.length - 1, lowerBound(x, this.plot.right) + 1) : x.length - 1;
    let pieceLength = 0;
    let atX = Number.NEGATIVE_INFINITY;
    let atY = 0;
    for (let i = first; i <= last; i++) {
      const value = y[i] as number;
      const xPx = x[i] as number;
      const yPx = toPx(value);
      // Zero for finite numbers, NaN for all others.
      if (yPx - yPx !== 0 || xPx - xPx !== 0) {
        if (pieceLength === 1) pen.dot(atX, atY);
        pieceLength = 0;
        if (value - value !== 0 && xPx - xPx === 0) pen.mark(xPx, value);
        continue;
      }
      if (breaksFalls && xPx < atX) {
        if (pieceLength === 1) pen.dot(atX, atY);
        pieceLength = 0;
      }
      atX = far(xPx);
      atY = far(yPx);
      if (pieceLength === 0) pen.move(atX, atY);
      else pen.line(atX, atY);
      pieceLength++;
    }
    if (pieceLength === 1) pen.dot(atX, atY);
  }
}
