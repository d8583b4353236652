// Where the values of a column are on an axis: linear, logarithmic, by rank, or one band per value. Pure.

import { xTicks, yTicks } from "../../chart/axes/ticks";
import type { XKind } from "../../chart/model";
import { type Column, numberText, VALUE } from "./columns";

export type ScaleKind = "linear" | "log" | "quantile" | "category";
export const SCALE_KINDS: readonly ScaleKind[] = ["linear", "log", "quantile", "category"];

/** A value of an axis of categories: the code of a level, or one of few numbers. */
export interface Category {
  readonly value: number;
  readonly text: string;
}

export interface AxisTick {
  /** 0 to 1. */
  readonly at: number;
  readonly text: string;
}

export interface Scale {
  readonly kind: ScaleKind;
  /** From 0 (lowest) to 1, by row; NaN for what has no place among the values. */
  readonly places: Float32Array;
  readonly place: (row: number) => number;
  readonly placeValue: (value: number) => number;
  /** The value at a place; on an axis of categories the nearest one. */
  readonly valueAt: (place: number) => number;
  readonly ticks: (count: number) => AxisTick[];
  /** In order; null if the axis is not one of categories. */
  readonly categories: readonly Category[] | null;
  readonly missingRows: readonly number[];
}

/** Numbers over more than this ratio use a logarithmic scale. */
const LOG_RATIO = 100;
/** And if half of them are in this part of a linear axis. */
const SKEWED_SHARE = 0.15;
/** A hyperparameter with no more different numbers than this was picked from a list. */
const FEW_VALUES = 7;
/** Too many to tell apart as bands. */
const MANY_VALUES = 60;
/** If the middle 80 % fill less of a linear axis, most runs are hard to tell apart on it. */
const CROWDED_SHARE = 0.3;
/** On a logarithmic axis, zero is below the other values by this share of the axis. */
const ZERO_GAP = 0.08;

/** Below this, axes write powers of ten. */
const SMALL = 1e-3;

const sortedOf = new WeakMap<Column, Float64Array>();

/** The finite numbers of a column in order; sorted once, because every view asks for them. */
export function sortedNumbers(column: Column): Float64Array {
  let sorted = sortedOf.get(column);
  if (!sorted) sortedOf.set(column, (sorted = sortNumbers(column)));
  return sorted;
}

function sortNumbers({ numbers, state }: Column): Float64Array {
  let count = 0;
  const kept = new Float64Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) if (state[i] === VALUE) kept[count++] = numbers[i] as number;
  return kept.subarray(0, count).sort();
}

export function chooseScale(column: Column, sorted = sortedNumbers(column)): ScaleKind {
  if (column.levels) return "category";
  if (sorted.length === 0) return "linear";
  const [low, high] = [sorted[0] as number, sorted.at(-1) as number];
  if (column.kind === "hparam" && column.distinct <= FEW_VALUES) return "category";
  if (column.type === "time" || column.type === "duration") return "linear";
  const least = sorted.find((value) => value > 0) ?? 0;
  const isWide = low >= 0 && least > 0 && high / least >= LOG_RATIO;
  // Numbers that are spread evenly need no logarithm, even if the smallest happens to be tiny.
  const isSkewed = (quantile(sorted, 0.5) - low) / (high - low) < SKEWED_SHARE;
  if (column.kind === "hparam") return isWide && isSkewed ? "log" : "linear";
  const middle = quantile(sorted, 0.9) - quantile(sorted, 0.1);
  if (sorted.length >= 8 && high > low && middle / (high - low) < CROWDED_SHARE) return "quantile";
  return low > 0 && isWide && isSkewed ? "log" : "linear";
}

/** The kinds that can show this column. */
export function possibleScales(column: Column, sorted = sortedNumbers(column)): readonly ScaleKind[] {
  if (column.levels) return ["category"];
  return SCALE_KINDS.filter(
    (kind) =>
      (kind !== "log" || ((sorted[0] ?? 0) >= 0 && (sorted.at(-1) ?? 0) > 0)) &&
      (kind !== "category" || column.distinct <= MANY_VALUES),
  );
}

/** Linear between neighbours. `sorted` is not empty. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = Math.min(Math.max(share, 0), 1) * (sorted.length - 1);
  const first = Math.floor(place);
  const [low, high] = [sorted[first] as number, sorted[Math.min(first + 1, sorted.length - 1)] as number];
  return low + (high - low) * (place - first);
}

/** A kind that the column cannot have is replaced by the chosen one. */
export function makeScale(column: Column, asked: ScaleKind = chooseScale(column)): Scale {
  const sorted = sortedNumbers(column);
  const kind = possibleScales(column, sorted).includes(asked) ? asked : chooseScale(column, sorted);
  const parts = MAKERS[kind](column, sorted);
  const places = new Float32Array(column.numbers.length).fill(Number.NaN);
  const missingRows: number[] = [];
  for (let row = 0; row < places.length; row++) {
    if (column.state[row] === VALUE) places[row] = parts.placeValue(column.numbers[row] as number);
    else missingRows.push(row);
  }
  return { kind, categories: null, ...parts, places, place: (row) => places[row] as number, missingRows };
}

type Parts = Pick<Scale, "placeValue" | "valueAt" | "ticks"> & Partial<Pick<Scale, "categories">>;
type Maker = (column: Column, sorted: Float64Array) => Parts;

const clamp = (share: number): number => Math.min(Math.max(share, 0), 1);

const MAKERS: Readonly<Record<ScaleKind, Maker>> = {
  linear: (column, sorted) => {
    const [low, high] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
    const placeValue = (value: number): number => (high > low ? clamp((value - low) / (high - low)) : 0.5);
    return {
      placeValue,
      valueAt: (place) => low + (high - low) * clamp(place),
      ticks: (count) => single(column, low, high) ?? linearTicks(column, low, high, count, placeValue),
    };
  },

  log: (column, sorted) => {
    const hasZero = sorted[0] === 0;
    const low = sorted.find((value) => value > 0) ?? 1;
    const high = sorted.at(-1) ?? 1;
    const start = hasZero ? ZERO_GAP : 0;
    const span = Math.log(high / low);
    const placeValue = (value: number): number =>
      value <= 0 ? 0 : span > 0 ? start + (1 - start) * clamp(Math.log(value / low) / span) : (1 + start) / 2;
    return {
      placeValue,
      valueAt: (place) =>
        hasZero && place < start / 2 ? 0 : low * Math.exp((span * (clamp(place) - start)) / (1 - start)),
      ticks: (count) => [
        ...(hasZero ? [{ at: 0, text: "0" }] : []),
        ...(single(column, low, high, placeValue(low)) ??
          yTicks([low, high], "log", count).map(({ value, label }) => ({
            at: placeValue(value),
            // One style for the whole axis.
            text: low < SMALL && value < 1 ? value.toExponential().replace("-", "−") : label,
          }))),
      ],
    };
  },

  quantile: (column, sorted) => {
    const last = Math.max(1, sorted.length - 1);
    // Equal values share the middle of their ranks.
    const placeValue = (value: number): number => {
      const [from, to] = [countBelow(sorted, value, false), countBelow(sorted, value, true)];
      if (to > from) return clamp((from + to - 1) / 2 / last);
      if (from === 0) return 0;
      if (from === sorted.length) return 1;
      const [a, b] = [sorted[from - 1] as number, sorted[from] as number];
      return clamp((from - 1 + (value - a) / (b - a)) / last);
    };
    return {
      placeValue,
      valueAt: (place) => (sorted.length > 0 ? quantile(sorted, place) : 0),
      ticks: (count) => {
        if (sorted.length === 0) return [];
        const shares = Array.from({ length: Math.max(2, count) }, (_, i) => i / (Math.max(2, count) - 1));
        const ticks = shares.map((share) => quantile(sorted, share));
        return [...new Set(ticks)].map((value) => ({ at: placeValue(value), text: numberText(column, value) }));
      },
    };
  },

  category: (column, sorted) => {
    const categories: readonly Category[] = column.levels
      ? column.levels.map((text, value) => ({ value, text }))
      : [...new Set(sorted)].map((value) => ({ value, text: numberText(column, value) }));
    const index = new Map(categories.map(({ value }, i) => [value, i]));
    const count = Math.max(1, categories.length);
    const placeValue = (value: number): number => ((index.get(value) ?? -0.5) + 0.5) / count;
    const at = (place: number): number => Math.min(count - 1, Math.floor(clamp(place) * count));
    return {
      categories,
      placeValue,
      valueAt: (place) => categories[at(place)]?.value ?? 0,
      ticks: () => categories.map(({ value, text }) => ({ at: placeValue(value), text })),
    };
  },
};

/** One tick for a column with one value. */
const single = (column: Column, low: number, high: number, at = 0.5): AxisTick[] | null =>
  high > low ? null : [{ at, text: numberText(column, low) }];

function linearTicks(
  { type }: Column,
  low: number,
  high: number,
  count: number,
  placeValue: (value: number) => number,
): AxisTick[] {
  const kind: XKind = type === "time" ? "wall" : type === "duration" ? "relative" : "value";
  return xTicks([low, high], kind, "linear", count).map(({ value, label }) => ({ at: placeValue(value), text: label }));
}

/** How many of the sorted numbers are below the value, or not above it. */
function countBelow(sorted: Float64Array, value: number, orEqual: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const each = sorted[middle] as number;
    if (each < value || (orEqual && each === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
