// Which numbers an axis spans: from the data, optionally without outliers, and from what the user set.

import { type Area, firstAtOrAbove, type Range, type ScaleKind, type Series, statsOf, xOf } from "./model";
import { warp } from "./axes/scale";

const LARGEST = 8e307;
const SMALLEST = 1e-300;

/** From the smallest to the largest finite x of all lines that the scale can show; null if there is none. */
export function xExtent(lines: readonly Series[], scale: ScaleKind): Range | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const floor = scale === "log" ? 0 : Number.NEGATIVE_INFINITY;
  for (const series of lines) {
    for (const value of ends(series, floor)) {
      if (value < low && value > floor) low = value;
      if (value > high && value < Number.POSITIVE_INFINITY) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

/** The x values that include the smallest above the floor and the largest. */
function ends(series: Series, floor: number): Iterable<number> {
  if (series.y.length === 0) return [];
  const { table, mask, isSorted } = series;
  if (!isSorted) return xOf(series);
  const last = table.length - 1;
  const isWhole = !mask || ((mask[0] as number) & 1 && (mask[last >> 3] as number) & (1 << (last & 7)));
  const x = isWhole && (table[0] as number) > floor ? table : xOf(series);
  const first = (x[0] as number) > floor ? 0 : firstAbove(x, floor);
  return [x[first] ?? Number.NaN, x[x.length - 1] as number];
}

function firstAbove(x: Float64Array, floor: number): number {
  let i = 0;
  while (i < x.length && !((x[i] as number) > floor)) i++;
  return i;
}

/** From the smallest to the largest value that can be drawn between two x; null if there is none. */
export function yExtent(lines: readonly Series[], areas: readonly Area[], x: Range, scale: ScaleKind): Range | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const floor = scale === "log" ? 0 : Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    const stats = statsOf(line);
    const lineLow = scale === "log" ? stats.lowPositive : stats.low;
    // This line cannot widen the range.
    if (lineLow >= low && stats.high <= high) continue;
    if (isWithin(line, x)) {
      low = Math.min(low, lineLow);
      if (stats.high > floor) high = Math.max(high, stats.high);
    } else {
      const { y } = line;
      const xs = line.isSorted ? null : xOf(line);
      const [from, to] = visibleIndices(line, x);
      for (let i = from; i < to; i++) {
        const value = y[i] as number;
        if (xs && !isBetween(xs[i] as number, x)) continue;
        if (value > floor && value < low) low = value;
        if (value > high && value > floor && value < Number.POSITIVE_INFINITY) high = value;
      }
    }
  }
  for (const { table, low: lows, high: highs } of areas) {
    for (let i = 0; i < table.length; i++) {
      if (!isBetween(table[i] as number, x)) continue;
      for (const value of [lows[i] as number, highs[i] as number]) {
        if (value > floor && value < low) low = value;
        if (value > high && value > floor && value < Number.POSITIVE_INFINITY) high = value;
      }
    }
  }
  return low <= high ? [low, high] : null;
}

const isBetween = (value: number, [low, high]: Range): boolean => value >= low && value <= high;

const isWithin = ({ table, isSorted }: Series, x: Range): boolean =>
  isSorted && table.length > 0 && (table[0] as number) >= x[0] && (table[table.length - 1] as number) <= x[1];

/** Where a line's points between two x begin and end; all points if the line is not sorted. */
function visibleIndices(line: Series, x: Range): readonly [number, number] {
  if (!line.isSorted || isWithin(line, x)) return [0, line.y.length];
  // The next number above, so that "at or above" includes the end itself.
  const beyond = x[1] + Math.max(Math.abs(x[1]) * Number.EPSILON, Number.MIN_VALUE);
  return [firstAtOrAbove(line, x[0]), firstAtOrAbove(line, beyond)];
}

// Differs from TensorBoard: with only a few values, the largest and the smallest are not outliers.
const FEWEST_RANKED = 8;
// With more values than this, a part of each line is enough, and the page stays fast.
const MAX_RANKED = 100_000;

/**
 * The extent without outliers: from the 5th to the 95th percentile of the visible values.
 * Differs from TensorBoard: every line's own median stays visible, so that a run far from the others does not vanish.
 */
export function innerExtent(lines: readonly Series[], x: Range): Range | null {
  let total = 0;
  for (const line of lines) total += line.y.length;
  // Odd, because a reduced line alternates between its smallest and largest values.
  const stride = total <= MAX_RANKED ? 1 : Math.ceil(total / MAX_RANKED) | 1;
  const values = new Float64Array(Math.ceil(total / stride) + lines.length);
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const line of lines) {
    const { y } = line;
    const xs = line.isSorted ? null : xOf(line);
    const [from, to] = visibleIndices(line, x);
    const start = count;
    if (stride === 1 && !xs && statsOf(line).isFinite) {
      values.set(from === 0 && to === y.length ? y : y.subarray(from, to), count);
      count += to - from;
    } else {
      for (let i = from; i < to; i += stride) {
        const value = y[i] as number;
        // Zero for finite numbers, NaN for all others.
        if (value - value === 0 && (!xs || isBetween(xs[i] as number, x))) values[count++] = value;
      }
    }
    if (count === start) continue;
    const median = select(values, start + ((count - start - 1) >> 1), start, count - 1);
    if (median < low) low = median;
    if (median > high) high = median;
  }
  if (count < FEWEST_RANKED) return null;
  const lowest = Math.ceil(0.05 * (count - 1));
  const highest = Math.floor(0.95 * (count - 1));
  const from = select(values, lowest, 0, count - 1);
  const to = select(values, highest, Math.min(lowest, highest), count - 1);
  return [Math.min(low, from), Math.max(high, to)];
}

// Cut only if the axis would otherwise be this many times longer.
const WORTH_CUTTING = 2;
const PADDING = 0.05;

/**
 * The inner extent with some padding, so that lines at the edge are not cut in half.
 * Differs from TensorBoard: where outliers flatten nothing, the first and last points of a curve are not outliers.
 */
export function withoutOutliers(full: Range, inner: Range): Range {
  const span = inner[1] - inner[0];
  if (!(span > 0) || full[1] - full[0] <= WORTH_CUTTING * span) return full;
  return [Math.max(full[0], inner[0] - PADDING * span), Math.min(full[1], inner[1] + PADDING * span)];
}

/** The value that would be at index k if left … right were sorted; reorders them so that none before k is larger. */
export function select(values: Float64Array, k: number, left: number, right: number): number {
  while (left < right) {
    const pivot = values[(left + right) >> 1] as number;
    let i = left;
    let j = right;
    while (i <= j) {
      while ((values[i] as number) < pivot) i++;
      while ((values[j] as number) > pivot) j--;
      if (i > j) break;
      const kept = values[i] as number;
      values[i++] = values[j] as number;
      values[j--] = kept;
    }
    if (k <= j) right = j;
    else if (k >= i) left = i;
    else break;
  }
  return values[k] as number;
}

/** How many lines have points that a log axis cannot show. */
export function countUnshown(lines: readonly Series[], x: ScaleKind, y: ScaleKind): number {
  if (x !== "log" && y !== "log") return 0;
  let count = 0;
  for (const line of lines) {
    const isBelow = y === "log" && statsOf(line).low <= 0;
    if (line.y.length > 0 && (isBelow || (x === "log" && !((line.table[0] as number) > 0)))) count++;
  }
  return count;
}

/** An x axis spans exactly the data; a single x gets room on both sides. */
export function xDomain(extent: Range | null, scale: ScaleKind): Range {
  if (!extent) return scale === "log" ? [0.1, 1] : [0, 1];
  return extent[0] < extent[1] ? extent : widened(extent[0]);
}

// Of the height of the axis: no more is empty above or below the data, and no less, so that no line is cut in half.
const MOST_EMPTY = 0.08;
const LEAST_EMPTY = 0.01;
// Of the numbers that an axis ends on multiples of, times a power of ten; the roundest first.
const ROUND_DIGITS = [10, 5, 2.5, 2] as const;

/**
 * A y axis ends on round numbers, so that it does not move with every new point, but close to the data. It ends at zero
 * rather than beyond it, if the data does not.
 */
export function yDomain(extent: Range | null, scale: ScaleKind): Range {
  if (!extent) return scale === "log" ? [0.1, 1] : [0, 1];
  // The distance between two float64 values can exceed float64.
  let [low, high] = [Math.max(extent[0], -LARGEST), Math.min(extent[1], LARGEST)];
  if (scale === "log") {
    const [from, to] = [Math.log10(Math.max(low, SMALLEST)), Math.log10(Math.max(high, SMALLEST))];
    const room = roomOf(to - from);
    return [Math.max(10 ** (from - room), SMALLEST / 10), Math.min(10 ** (to + room), LARGEST)];
  }
  const stop = stopAtZero(low, high);
  // Closer together than any label can show.
  if (!(high - low > SMALLEST)) [low, high] = stop(widened(low));
  if (scale === "symlog") {
    const { to, from } = warp(scale, [low, high]);
    const room = roomOf(to(high) - to(low));
    return stop([from(to(low) - room), from(to(high) + room)]);
  }
  return round(low, high, stop);
}

/** At either end of a log axis, in decades; survives rounding. */
const roomOf = (decades: number): number => (decades > 0 ? Math.max(decades * 0.04, 1e-9) : 0.02);

/** Ends a range at zero where the data does not go beyond it. */
function stopAtZero(low: number, high: number): (range: Range) => Range {
  if (low >= 0) return (range) => [Math.max(0, range[0]), range[1]];
  return high <= 0 ? (range) => [range[0], Math.min(0, range[1])] : (range) => range;
}

/** The roundest numbers outside both ends that leave little of the axis empty. */
function round(low: number, high: number, stop: (range: Range) => Range): Range {
  const span = high - low;
  const room = LEAST_EMPTY * span;
  const largest = Math.floor(Math.log10(span));
  for (let power = largest; power > largest - 3; power--) {
    // Negative powers of ten are not exact, but dividing by positive ones is.
    const [times, over] = power < 0 ? [1, 10 ** -power] : [10 ** power, 1];
    for (const digits of ROUND_DIGITS) {
      const unit = (digits * times) / over;
      const [from, to] = stop([
        (Math.floor((low - room) / unit) * digits * times) / over,
        (Math.ceil((high + room) / unit) * digits * times) / over,
      ]);
      const most = MOST_EMPTY * (to - from);
      const isOutside = from <= low && to >= high && from < to;
      if (isOutside && low - from <= most && to - high <= most && Number.isFinite(to - from)) return [from, to];
    }
  }
  return [low, high];
}

/** The range that the user set, as far as the scale can show it; an address may contain anything. */
export function usableRange(set: Range | null, automatic: Range, scale: ScaleKind): Range {
  if (!set) return automatic;
  const [low, high] = set[0] <= set[1] ? set : [set[1], set[0]];
  if (!Number.isFinite(low) || !Number.isFinite(high) || !(high - low > SMALLEST) || high - low > 2 * LARGEST)
    return automatic;
  if (scale !== "log" || low > 0) return [low, high];
  return high > 0 ? [Math.min(automatic[0], high / 10), high] : automatic;
}

/** Room around one value that survives rounding, from the smallest to the largest numbers. */
function widened(value: number): Range {
  const room = value === 0 ? 1 : Math.max(Math.abs(value) * 0.1, SMALLEST);
  return [value - room, value + room];
}
