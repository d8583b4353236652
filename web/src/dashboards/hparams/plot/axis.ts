// An axis of a scatter: a column's scale with room at both ends, points of one category beside each other, and far bad
// values cut off where they would press the others together. Pure.

import { yTicks } from "../../../chart/axes/ticks";
import { type Brush, roundLimit } from "../brushes";
import { type Column, VALUE } from "../columns";
import { type AxisTick, quantile, type Scale, sortedNumbers } from "../scales";

export interface Axis {
  readonly column: Column;
  readonly kind: Scale["kind"];
  /** By row: 0 to 1 within the axis, beyond where it is cut off, NaN without a value. */
  readonly places: Float32Array;
  readonly placeValue: (value: number) => number;
  readonly valueAt: (place: number) => number;
  readonly ticks: (count: number) => AxisTick[];
  /** Rows beyond either end. */
  readonly below: number;
  readonly above: number;
}

const PAD = 0.035;
/** Share of a category's band that its points fill. */
const SPREAD = 0.56;

export interface AxisOptions {
  /** The values that must be on the axis; others may be cut off. Null: all. */
  readonly range?: readonly [number, number] | null;
  /** Points of one category lie beside each other instead of on one another. */
  readonly isSpread?: boolean;
}

export function makeAxis(column: Column, scale: Scale, { range = null, isSpread = true }: AxisOptions = {}): Axis {
  const isCut = range !== null && (scale.kind === "linear" || scale.kind === "log");
  const from = isCut ? scale.placeValue(range[0]) : 0;
  const to = isCut ? scale.placeValue(range[1]) : 1;
  const span = to > from ? to - from : 1;
  const pad = scale.categories ? 0 : PAD;
  const move = (place: number): number => pad + ((place - from) / span) * (1 - 2 * pad);
  const back = (place: number): number => from + ((place - pad) / (1 - 2 * pad)) * span;
  const places = scale.places.map(move);
  let below = 0;
  let above = 0;
  if (scale.categories && isSpread) {
    const band = SPREAD / Math.max(1, scale.categories.length);
    for (let row = 0; row < places.length; row++) places[row] = (places[row] as number) + (scatter(row) - 0.5) * band;
  } else if (isCut) {
    for (const place of places) {
      if (place < 0) below++;
      else if (place > 1) above++;
    }
  }
  return {
    column,
    kind: scale.kind,
    places,
    placeValue: (value) => move(scale.placeValue(value)),
    valueAt: (place) => scale.valueAt(back(place)),
    ticks: (count) =>
      (isCut
        ? yTicks([range[0], range[1]], scale.kind === "log" ? "log" : "linear", count).map(({ value, label }) => ({
            at: scale.placeValue(value),
            text: label,
          }))
        : scale.ticks(count)
      ).map(({ at, text }) => ({ at: move(at), text })),
    below,
    above,
  };
}

/** From 0 to 1, the same for the same row, and unlike for neighbours. */
function scatter(row: number): number {
  let hash = Math.imul(row + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/**
 * Where the values that matter are: from the best to as far below the median as the best is above it. Null where this
 * would leave out nothing that presses the rest together. `keep`: rows that must stay, such as those of a front.
 */
export function usefulRange(column: Column, keep: Uint8Array | null = null): readonly [number, number] | null {
  const sorted = sortedNumbers(column);
  if (sorted.length < 8 || !column.goal) return null;
  const [low, high] = [sorted[0] as number, sorted.at(-1) as number];
  const median = quantile(sorted, 0.5);
  const isMax = column.goal === "max";
  const best = isMax ? high : low;
  let limit = best + 2.2 * (median - best);
  keep?.forEach((flag, row) => {
    const value = column.numbers[row] as number;
    if (flag === 1 && column.state[row] === VALUE) limit = isMax ? Math.min(limit, value) : Math.max(limit, value);
  });
  const cut = isMax ? limit - low : high - limit;
  if (!(cut > 0.25 * (high - low)) || median === best) return null;
  return isMax ? [limit, high] : [low, limit];
}

/** The brush that a drag along an axis makes, from 0 to 1. */
export function brushBetween({ column, kind, valueAt, placeValue }: Axis, from: number, to: number): Brush {
  const [low, high] = from < to ? [from, to] : [to, from];
  const brush: Brush = { column: column.id, ranges: [], levels: null, missing: false };
  if (kind === "category") {
    const values = column.levels ? column.levels.map((_, i) => i) : [...new Set(sortedNumbers(column))];
    const half = 0.5 / Math.max(1, values.length);
    // A category counts if the drag touches its band.
    const touched = values.filter((value) => placeValue(value) + half > low && placeValue(value) - half < high);
    return column.levels
      ? { ...brush, levels: touched.map((value) => column.levels?.[value] ?? "") }
      : { ...brush, ranges: touched.map((value) => [value, value] as const) };
  }
  const limits = [valueAt(low), valueAt(high)] as const;
  const span = limits[1] - limits[0];
  return { ...brush, ranges: [[roundLimit(limits[0], span), roundLimit(limits[1], span)]] };
}

/** Where a brush lies on an axis, as pairs of places. */
export function brushPlaces({ column, kind, placeValue }: Axis, brush: Brush | null): (readonly [number, number])[] {
  if (!brush) return [];
  if (kind === "category") {
    const values = column.levels
      ? (brush.levels ?? []).map((level) => column.levels?.indexOf(level) ?? -1).filter((code) => code >= 0)
      : [...new Set(sortedNumbers(column))].filter((value) => brush.ranges.some(([a, b]) => value >= a && value <= b));
    const count = column.levels?.length ?? column.distinct;
    const half = 0.5 / Math.max(1, count);
    return values.map((value) => [placeValue(value) - half, placeValue(value) + half] as const);
  }
  return brush.ranges.map(([low, high]) => [placeValue(low), placeValue(high)] as const);
}
