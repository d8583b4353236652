// The types of the chart folder: lines, frames and axes. Knows nothing of runs, tags or the server.

export type Floats = Float32Array | Float64Array;
export type Range = readonly [number, number];
/** How numbers become distances. `symlog` is linear near zero and logarithmic away from it, on both sides. */
export type ScaleKind = "linear" | "log" | "symlog";
/** What x counts: steps, seconds since the start, seconds since 1970, or any scalar. */
export type XKind = "step" | "relative" | "wall" | "value";
export type AxisSide = "left" | "right";
/** The order of the rows of a tooltip. */
export type TipSort = "alphabetical" | "ascending" | "descending" | "nearest_pixel" | "nearest_y";

/** The ranges of the axes; null where they follow the data. */
export interface ChartView {
  readonly x: Range | null;
  readonly y: Range | null;
  readonly y2: Range | null;
}

export const WHOLE_VIEW: ChartView = { x: null, y: null, y2: null };

/**
 * The numbers of one line, drawn in order; a value that is not finite leaves a gap. A thousand lines over the same
 * steps share one table of x. x is expanded only for lines that need it: see `xOf`.
 */
export interface Series {
  readonly table: Float64Array;
  /** Which entries of the table belong to the line: bit i & 7 of byte i >> 3. Null: all of them. */
  readonly mask: Uint8Array | null;
  readonly y: Floats;
  /** x never decreases, so it can be searched. */
  readonly isSorted: boolean;
}

export interface Stroke {
  readonly color: string;
  readonly widthPx: number;
  readonly alpha: number;
  /** Lengths of dashes and gaps in turn; empty for a solid line. */
  readonly dash: readonly number[];
  readonly axis: AxisSide;
}

/** A band behind the lines; a bound that is not finite leaves a gap. */
export interface Area {
  readonly table: Float64Array;
  readonly low: Floats;
  readonly high: Floats;
  readonly color: string;
  readonly alpha: number;
  readonly axis: AxisSide;
}

export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

export interface Axis {
  readonly kind: ScaleKind;
  readonly domain: Range;
}

/** Everything about one drawing except numbers and strokes: small, and sent for every change of an axis or size. */
export interface Frame {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly pixelRatio: number;
  readonly margins: Margins;
  readonly x: Axis;
  readonly y: Axis;
  /** The right y axis. */
  readonly y2: Axis;
  readonly breaksFalls: boolean;
  /** Lines from here on have marks where they are not finite. */
  readonly firstFound: number;
}

/** Left, top, right and bottom of the area inside the axes. */
export interface Plot {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const plotOf = ({ widthPx, heightPx, margins }: Pick<Frame, "widthPx" | "heightPx" | "margins">): Plot => ({
  left: margins.left,
  top: margins.top,
  right: widthPx - margins.right,
  bottom: heightPx - margins.bottom,
});

const sortedTables = new WeakMap<Float64Array, boolean>();

export function toSeries(table: Float64Array, y: Floats, mask: Uint8Array | null = null): Series {
  let isSorted = sortedTables.get(table);
  if (isSorted === undefined) {
    isSorted = true;
    for (let i = 1; i < table.length && isSorted; i++) isSorted = (table[i] as number) >= (table[i - 1] as number);
    sortedTables.set(table, isSorted);
  }
  return { table, mask, y, isSorted };
}

const written = new WeakMap<Series, Float64Array>();

/** A line's x values, one for each y. */
export function xOf(series: Series): Float64Array {
  if (!series.mask) return series.table;
  let x = written.get(series);
  if (!x) {
    x = new Float64Array(series.y.length);
    writeX(series.table, series.mask, x);
    written.set(series, x);
  }
  return x;
}

/** Writes the table's masked entries into `x`, as far as it has room; returns how many there are. */
export function writeX(table: Float64Array, mask: Uint8Array, x: Float64Array): number {
  let n = 0;
  for (let byte = 0; byte < mask.length; byte++) {
    let bits = mask[byte] as number;
    while (bits !== 0) {
      const low = bits & -bits;
      if (n < x.length) x[n] = table[byte * 8 + 31 - Math.clz32(low)] as number;
      n++;
      bits ^= low;
    }
  }
  return n;
}

/** What an axis and a warning need to know about a line, computed in one pass. */
export interface Stats {
  readonly low: number;
  /** The smallest value that a log axis can show. */
  readonly lowPositive: number;
  readonly high: number;
  readonly isFinite: boolean;
}

const known = new WeakMap<Series, Stats>();

export function statsOf(series: Series): Stats {
  let stats = known.get(series);
  if (!stats) {
    let low = Number.POSITIVE_INFINITY;
    let lowPositive = low;
    let high = Number.NEGATIVE_INFINITY;
    let finite = 0;
    const { y } = series;
    for (let i = 0; i < y.length; i++) {
      const value = y[i] as number;
      // Zero for finite numbers, NaN for all others.
      if (value - value !== 0) continue;
      finite++;
      if (value < low) low = value;
      if (value > high) high = value;
      if (value > 0 && value < lowPositive) lowPositive = value;
    }
    stats = { low, lowPositive, high, isFinite: finite === y.length };
    known.set(series, stats);
  }
  return stats;
}

/** Index of the first x at or above the value; the length when there is none. Needs sorted x. */
export function lowerBound(x: Float64Array, value: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of a sorted line's first point at or above an x. */
export function firstAtOrAbove({ table, mask }: Series, x: number): number {
  const entry = lowerBound(table, x);
  return mask ? countBefore(mask, entry) : entry;
}

/** How many of a mask's bits are set before this one: the index of the point that an entry of the table belongs to. */
export function countBefore(mask: Uint8Array, bit: number): number {
  let count = 0;
  for (let byte = 0; byte < bit >> 3; byte++) count += BITS[mask[byte] as number] as number;
  return (bit & 7) === 0 ? count : count + (BITS[(mask[bit >> 3] as number) & ((1 << (bit & 7)) - 1)] as number);
}

const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);
