// From numbers to pixels and back, and which numbers an axis spans. Ticks are next door.

import { nice } from "d3-array";
import { lowerBound, type Range, type Series, statsOf, xOf, type ScaleKind } from "./model";

export interface Scale {
  readonly domain: Range;
  readonly toPx: (value: number) => number;
  readonly toValue: (px: number) => number;
}

export function linearScale(domain: Range, px: Range): Scale {
  const factor = (px[1] - px[0]) / (domain[1] - domain[0]);
  return {
    domain,
    toPx: (value) => px[0] + (value - domain[0]) * factor,
    toValue: (at) => domain[0] + (at - px[0]) / factor,
  };
}

export function logScale(domain: Range, px: Range): Scale {
  const inner = linearScale([Math.log10(domain[0]), Math.log10(domain[1])], px);
  return { domain, toPx: (value) => inner.toPx(Math.log10(value)), toValue: (at) => 10 ** inner.toValue(at) };
}

export const makeScale = (kind: ScaleKind, domain: Range, px: Range): Scale =>
  kind === "log" ? logScale(domain, px) : linearScale(domain, px);

/** From the smallest to the largest finite x of all lines; null without any. */
export function xExtent(lines: readonly Series[]): Range | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const series of lines) {
    for (const value of ends(series)) {
      if (value < low && value > Number.NEGATIVE_INFINITY) low = value;
      if (value > high && value < Number.POSITIVE_INFINITY) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

/** The x values among which the smallest and the largest are. A reduction keeps a line's first and last point. */
function ends(series: Series): Iterable<number> {
  if (series.y.length === 0) return [];
  const { table, mask, isSorted } = series;
  if (!isSorted) return xOf(series);
  const last = table.length - 1;
  const hasEnds = !mask || ((mask[0] as number) & 1 && (mask[last >> 3] as number) & (1 << (last & 7)));
  const x = hasEnds ? table : xOf(series);
  return [x[0] as number, x[x.length - 1] as number];
}

/** From the smallest to the largest value that can be drawn between two x; null without any. */
export function yExtent(lines: readonly Series[], x: Range, scale: ScaleKind): Range | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const floor = scale === "log" ? 0 : Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    const stats = statsOf(line);
    const lineLow = scale === "log" ? stats.lowPositive : stats.low;
    // Nothing in this line can widen the range any more.
    if (lineLow >= low && stats.high <= high) continue;
    if (isWithin(line, x)) {
      low = Math.min(low, lineLow);
      if (stats.high > floor) high = Math.max(high, stats.high);
      continue;
    }
    const xs = xOf(line);
    const first = line.isSorted ? lowerBound(xs, x[0]) : 0;
    for (let i = first; i < xs.length; i++) {
      const at = xs[i] as number;
      if (at > x[1]) {
        if (line.isSorted) break;
        continue;
      }
      if (at < x[0]) continue;
      const value = line.y[i] as number;
      if (value > floor && value < low) low = value;
      if (value > high && value < Number.POSITIVE_INFINITY) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

// So many values, of each line and of all, tell where most of them lie.
const SAMPLES_PER_LINE = 256;
const MAX_SAMPLES = 20_000;
const FENCE = 1.5;

/**
 * The extent without outliers: nothing farther from the middle nine tenths of all values than one and a half times
 * their spread. One run that diverges then does not flatten all others; a curve that starts high stays whole, and so
 * does a run that lies far from the others all along, because every line's own median is kept.
 */
export function fence(lines: readonly Series[], x: Range, extent: Range): Range {
  const perLine = Math.max(8, Math.min(SAMPLES_PER_LINE, Math.floor(MAX_SAMPLES / lines.length)));
  const pooled: number[] = [];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    const values = sample(line, x, perLine);
    const median = values[(values.length - 1) >> 1];
    if (median === undefined) continue;
    low = Math.min(low, median);
    high = Math.max(high, median);
    for (const value of values) pooled.push(value);
  }
  const sorted = Float64Array.from(pooled).sort();
  const from = sorted[Math.floor(sorted.length * 0.05)];
  const to = sorted[Math.ceil(sorted.length * 0.95) - 1];
  if (from === undefined || to === undefined || !(from < to)) return extent;
  const room = FENCE * (to - from);
  return [Math.max(extent[0], Math.min(low, from - room)), Math.min(extent[1], Math.max(high, to + room))];
}

/** Some finite values of a line between two x, ascending. */
function sample(line: Series, x: Range, count: number): Float64Array {
  const xs = isWithin(line, x) ? null : xOf(line);
  const stride = Math.max(1, Math.floor(line.y.length / count));
  const values: number[] = [];
  for (let i = 0; i < line.y.length; i += stride) {
    const value = line.y[i] as number;
    if (value - value === 0 && (!xs || ((xs[i] as number) >= x[0] && (xs[i] as number) <= x[1]))) values.push(value);
  }
  return Float64Array.from(values).sort();
}

const isWithin = ({ table, isSorted }: Series, x: Range): boolean =>
  isSorted && table.length > 0 && (table[0] as number) >= x[0] && (table[table.length - 1] as number) <= x[1];

const LARGEST = 8e307;
const SMALLEST = 1e-300;

/** An x axis shows exactly what there is; a single x gets room on both sides. */
export function xDomain(extent: Range | null): Range {
  if (!extent) return [0, 1];
  return extent[0] < extent[1] ? extent : widened(extent[0]);
}

/** A y axis ends on round numbers, so that it stands still while points keep coming. */
export function yDomain(extent: Range | null, scale: ScaleKind, ticks: number): Range {
  if (!extent) return scale === "log" ? [0.1, 1] : [0, 1];
  // The distance between two float64 can be beyond float64.
  let [low, high] = [Math.max(extent[0], -LARGEST), Math.min(extent[1], LARGEST)];
  if (scale === "log") {
    const [from, to] = [Math.log10(Math.max(low, SMALLEST)), Math.log10(Math.max(high, SMALLEST))];
    const room = Math.max((to - from) * 0.04, 0.02);
    return [Math.max(10 ** (from - room), SMALLEST / 10), Math.min(10 ** (to + room), LARGEST)];
  }
  // Closer together than any mark could say.
  if (!(high - low > SMALLEST)) [low, high] = widened(low);
  const [from = low, to = high] = nice(low, high, ticks) as number[];
  return from < to && Number.isFinite(to - from) ? [from, to] : [low, high];
}

/** Room around one value that survives its own rounding, from the smallest numbers to the largest. */
function widened(value: number): Range {
  const room = value === 0 ? 1 : Math.max(Math.abs(value) * 0.1, SMALLEST);
  return [value - room, value + room];
}
