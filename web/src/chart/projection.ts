// Where one frame puts every point: x of whole tables at once, y by a function of each axis. All drawing uses it, on
// the page, in the worker and in exports.

import { type AxisSide, type Frame, lowerBound, type Plot, plotOf, type Series, writeX } from "./model";
import { makeScale, type Scale } from "./axes/scale";

/** Parts of a pixel, as integers: a canvas allocates an object for every fraction. */
export const PARTS = 16;
export const GAP = -(2 ** 30);
// Points of one pixel column that differ by less look the same.
const NEAR = PARTS / 8;

// A canvas uses float32; beyond this the direction of a line would suffer.
const FAR = 1e6 * PARTS;
const far = (at: number): number => (at > FAR ? FAR : at < -FAR ? -FAR : Math.round(at));

/** A line in pixels. */
export interface Polyline {
  /**
   * x, y, x, y … of its pieces in parts of a pixel, with a pair of `GAP` after each. The next polyline overwrites it:
   * read it at once.
   */
  readonly xy: Int32Array;
  /** How many of those numbers are used. */
  readonly length: number;
  /** x, y … in pixels of points without neighbours, which have no line. */
  readonly dots: readonly number[];
  /** x in pixels and value … of points that are not finite. */
  readonly marks: readonly number[];
}

// All lines are written here in turn, so that a thousand lines need no memory of their own.
let scratchX = new Float64Array(0);
let scratchXY = new Int32Array(0);

export class Projection {
  readonly plot: Plot;
  readonly #xPx: (value: number) => number;
  readonly #y: Readonly<Record<AxisSide, Scale>>;
  readonly #tables = new Map<Float64Array, Float64Array>();

  constructor(private readonly frame: Frame) {
    const { left, right, top, bottom } = (this.plot = plotOf(frame));
    this.#xPx = makeScale(frame.x.kind, frame.x.domain, [left, right]).toPx;
    this.#y = {
      left: makeScale(frame.y.kind, frame.y.domain, [bottom, top]),
      right: makeScale(frame.y2.kind, frame.y2.domain, [bottom, top]),
    };
  }

  /** A table's entries in pixels; minus infinity for those that the scale cannot show, so that they stay sorted. */
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
    return this.#y[side].toPx;
  }

  /**
   * Of a sorted line's points in one pixel column only the lowest and the highest are taken, or one of them where they
   * are equally high: that looks like all of them. With `pixelColumnPx` 0 every point is taken.
   */
  project(series: Series, side: AxisSide, pixelColumnPx = 0): Polyline {
    const { y, mask, isSorted } = series;
    let x = this.table(series.table);
    if (mask) {
      if (scratchX.length < y.length) scratchX = new Float64Array(y.length * 2);
      const masked = scratchX.subarray(0, y.length);
      writeX(x, mask, masked);
      x = masked;
    }
    // A single point has its own pair of gaps.
    if (scratchXY.length < 4 * y.length + 2) scratchXY = new Int32Array(8 * y.length + 2);
    const xy = scratchXY;
    const { kind, domain, toPx } = this.#y[side];
    // The most common kind needs no call.
    const isLinear = kind === "linear";
    const basePx = this.plot.bottom;
    const [start] = domain;
    const factor = (this.plot.top - basePx) / (domain[1] - start);
    const { breaksFalls } = this.frame;
    // One point beyond either edge, so that the line enters and leaves the plot.
    const first = isSorted ? Math.max(0, lowerBound(x, this.plot.left) - 1) : 0;
    const last = isSorted ? Math.min(x.length - 1, lowerBound(x, this.plot.right) + 1) : x.length - 1;
    const pixelColumnsPerPx = isSorted && pixelColumnPx > 0 ? 1 / pixelColumnPx : 0;
    const dots: number[] = [];
    const marks: number[] = [];
    let length = 0;
    // Where the current piece begins, and how many points of the pixel column are in it.
    let pieceAt = 0;
    let points = 0;
    let pixelColumn = 0;
    let isLowFirst = true;
    let atX = 0;
    for (let i = first; i <= last; i++) {
      const value = y[i] as number;
      const xPx = x[i] as number;
      const yPx = isLinear ? basePx + (value - start) * factor : toPx(value);
      // Zero for finite numbers, NaN for all others.
      const isPoint = yPx - yPx === 0 && xPx - xPx === 0;
      if (points > 0 && (!isPoint || (breaksFalls && xPx < atX))) {
        length = endPiece(xy, pieceAt, length, dots);
        pieceAt = length;
        points = 0;
      }
      if (!isPoint) {
        if (value - value !== 0 && xPx - xPx === 0) marks.push(xPx, value);
        continue;
      }
      atX = xPx;
      const xAt = far(xPx * PARTS);
      const yAt = far(yPx * PARTS);
      const inPixelColumn = pixelColumnsPerPx > 0 ? Math.floor(xPx * pixelColumnsPerPx) : i;
      if (points === 0 || inPixelColumn !== pixelColumn) {
        pixelColumn = inPixelColumn;
        points = 1;
        xy[length++] = xAt;
        xy[length++] = yAt;
      } else if (points === 1) {
        if (Math.abs(yAt - (xy[length - 1] as number)) <= NEAR) continue;
        points = 2;
        isLowFirst = yAt >= (xy[length - 1] as number);
        xy[length++] = xAt;
        xy[length++] = yAt;
      } else {
        const isLower: boolean = yAt < (xy[length - (isLowFirst ? 3 : 1)] as number);
        const isHigher: boolean = yAt > (xy[length - (isLowFirst ? 1 : 3)] as number);
        if (!isLower && !isHigher) continue;
        // Drops the earlier of the two if it is the one that is exceeded.
        if (isLower === isLowFirst) {
          xy[length - 4] = xy[length - 2] as number;
          xy[length - 3] = xy[length - 1] as number;
          isLowFirst = !isLowFirst;
        }
        xy[length - 2] = xAt;
        xy[length - 1] = yAt;
      }
    }
    if (points > 0) length = endPiece(xy, pieceAt, length, dots);
    return { xy, length, dots, marks };
  }
}

function endPiece(xy: Int32Array, start: number, length: number, dots: number[]): number {
  if (length === start + 2) dots.push((xy[start] as number) / PARTS, (xy[start + 1] as number) / PARTS);
  xy[length] = xy[length + 1] = GAP;
  return length + 2;
}
