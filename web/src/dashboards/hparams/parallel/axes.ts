// Which columns are axes of the parallel coordinates, in which order, and where each row meets them. Pure.

import { type Column, isConstant } from "../columns";
import { roundLimit, type Brush } from "../brushes";
import type { Scale } from "../scales";

/** With more axes, the metrics come first: at the end they would be out of sight. */
const MANY_AXES = 14;
/** The part of a category's band that its lines fill. */
const BAND_SHARE = 0.62;
const MAX_BAND_PX = 34;
/** A brush that comes this near to the end of an axis reaches it. */
const END_SHARE = 0.02;

/** A setting that hardly any run has, such as one of another search in the same folder, is no axis at first. */
const MOST_MISSING = 0.75;

/** Whether a column is an axis unless the user says otherwise. */
export const isUsualAxis = (column: Column): boolean =>
  column.kind !== "session" &&
  !isConstant(column) &&
  column.distinct > 0 &&
  (column.kind === "metric" || column.missing <= MOST_MISSING * column.state.length);

/** In the order of the page: hyperparameters, then metrics with the main one at the end. */
export function chooseAxes(
  columns: readonly Column[],
  main: Column | null,
  toggled: readonly string[],
  order: readonly string[],
): readonly Column[] {
  const isToggled = new Set(toggled);
  const shown = columns.filter((column) => isUsualAxis(column) !== isToggled.has(column.id));
  const hparams = shown.filter(({ kind }) => kind !== "metric");
  const metrics = shown.filter(({ kind, id }) => kind === "metric" && id !== main?.id);
  const last = shown.filter(({ id }) => id === main?.id);
  const usual = shown.length > MANY_AXES ? [...last, ...metrics, ...hparams] : [...hparams, ...metrics, ...last];
  const byId = new Map(usual.map((column) => [column.id, column]));
  const moved = order.flatMap((id) => byId.get(id) ?? []);
  const isMoved = new Set(order);
  // A column that appears later goes where it usually is.
  const result = [...moved];
  usual.forEach((column, i) => {
    if (isMoved.has(column.id)) return;
    const before = usual.slice(0, i).findLast((each) => result.includes(each));
    result.splice(before ? result.indexOf(before) + 1 : 0, 0, column);
  });
  return result;
}

/** The order after one axis was moved. */
export function moveAxis(ids: readonly string[], id: string, to: number): readonly string[] {
  const others = ids.filter((each) => each !== id);
  return [...others.slice(0, to), id, ...others.slice(to)];
}

export interface AxisRange {
  readonly topPx: number;
  readonly bottomPx: number;
  /** Where rows without a value are. */
  readonly missingPx: number;
}

/** The place on an axis, from 0 at its start, in pixels. */
export const toPx = ({ topPx, bottomPx }: AxisRange, place: number, isFlipped: boolean): number =>
  isFlipped ? topPx + place * (bottomPx - topPx) : bottomPx - place * (bottomPx - topPx);
export const toPlace = ({ topPx, bottomPx }: AxisRange, px: number, isFlipped: boolean): number => {
  const place = (bottomPx - px) / (bottomPx - topPx);
  return Math.min(1, Math.max(0, isFlipped ? 1 - place : place));
};

/**
 * Where every row meets the axis. Rows of a category are spread within its band, in the given order, so that colours
 * stay together.
 */
export function rowPlaces(scale: Scale, range: AxisRange, isFlipped: boolean, order: Uint32Array): Float32Array {
  const { places, categories } = scale;
  const { missingPx } = range;
  const ys = new Float32Array(places.length);
  if (!categories) {
    for (let row = 0; row < ys.length; row++) {
      const place = places[row] as number;
      ys[row] = Number.isNaN(place) ? missingPx : toPx(range, place, isFlipped);
    }
    return ys;
  }
  const bandPx = Math.min(MAX_BAND_PX, ((range.bottomPx - range.topPx) / Math.max(1, categories.length)) * BAND_SHARE);
  const total = new Uint32Array(categories.length);
  const categoryOf = (place: number): number => Math.round(place * categories.length - 0.5);
  for (let row = 0; row < ys.length; row++) {
    const place = places[row] as number;
    if (!Number.isNaN(place)) total[categoryOf(place)]!++;
  }
  const seen = new Uint32Array(categories.length);
  for (const row of order) {
    const place = places[row] as number;
    if (Number.isNaN(place)) ys[row] = missingPx;
    else {
      const at = categoryOf(place);
      const share = ((seen[at] as number) + 0.5) / (total[at] as number);
      seen[at]!++;
      // The last of the order, which are the best, on top.
      ys[row] = toPx(range, place, isFlipped) + (0.5 - share) * bandPx;
    }
  }
  return ys;
}

/** Rows by colour, the brightest last. */
export function drawOrder(codes: Uint8Array, grey: number): Uint32Array {
  const starts = new Uint32Array(257);
  const rank = (code: number): number => (code === grey ? 0 : code + 1);
  for (const code of codes) starts[rank(code) + 1]!++;
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number);
  const order = new Uint32Array(codes.length);
  for (let row = 0; row < codes.length; row++) order[starts[rank(codes[row] as number)]!++] = row;
  return order;
}

/** What a drag from one place of the axis to another selects. */
export function brushBetween(column: Column, scale: Scale, from: number, to: number): Pick<Brush, "ranges" | "levels"> {
  const [low, high] = from <= to ? [from, to] : [to, from];
  const { categories } = scale;
  if (categories) {
    const count = categories.length;
    const inside = categories.filter((_, i) => {
      const [bottom, top] = [(i + 0.15) / count, (i + 0.85) / count];
      return top >= low && bottom <= high;
    });
    if (column.levels) return { ranges: [], levels: inside.map(({ text }) => text) };
    return { ranges: inside.map(({ value }) => [value, value] as const), levels: null };
  }
  const [least, most] = [scale.valueAt(0), scale.valueAt(1)];
  const limit = (place: number): number =>
    place <= END_SHARE
      ? least
      : place >= 1 - END_SHARE
        ? most
        : // Where the scale is steep, a rounded limit must not jump over the pointer.
          roundLimit(scale.valueAt(place), Math.abs(scale.valueAt(place + 0.02) - scale.valueAt(place - 0.02)) * 25);
  const ends = [limit(low), limit(high)].sort((a, b) => a - b) as [number, number];
  return { ranges: [ends], levels: null };
}

/** The parts of an axis that a brush covers, from 0 to 1. */
export function brushedParts(
  column: Column,
  scale: Scale,
  brush: Brush | null,
): readonly (readonly [number, number])[] {
  if (!brush) return [];
  const { categories, placeValue } = scale;
  if (!categories) return brush.ranges.map(([low, high]) => [placeValue(low), placeValue(high)] as const);
  const count = categories.length;
  const isIn = column.levels
    ? (_: number, text: string) => brush.levels?.includes(text) ?? false
    : (value: number) => brush.ranges.some(([low, high]) => value >= low && value <= high);
  return categories.flatMap(({ value, text }, i) =>
    isIn(value, text) ? [[(i + 0.12) / count, (i + 0.88) / count] as const] : [],
  );
}

/** How far a curve between two axes has come from one to the other. */
export const ease = (share: number): number => share * share * (3 - 2 * share);

/** The row whose line is nearest to a point between two axes, or null if none is near. */
export function nearestRow(
  left: { readonly x: number; readonly ys: Float32Array },
  right: { readonly x: number; readonly ys: Float32Array },
  point: { readonly x: number; readonly y: number },
  included: Uint8Array,
  nearPx: number,
): number | null {
  const share = right.x > left.x ? ease(Math.min(1, Math.max(0, (point.x - left.x) / (right.x - left.x)))) : 0;
  let best: number | null = null;
  let least = nearPx;
  for (let row = 0; row < included.length; row++) {
    if (!included[row]) continue;
    const [a, b] = [left.ys[row] as number, right.ys[row] as number];
    const distance = Math.abs(a + (b - a) * share - point.y);
    // Among equals the one that was drawn last.
    if (distance <= least) {
      least = distance;
      best = row;
    }
  }
  return best;
}
