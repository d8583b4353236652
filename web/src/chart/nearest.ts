// What is under the pointer: for each line, its point nearest in x. Arrays of numbers, so that a thousand lines do not
// need an object each; objects are made for the few that are shown.

import { markYPx } from "./marks";
import { countBefore, lowerBound, type Plot, type Series, type Stroke, type TipSort, xOf } from "./model";
import type { Scale } from "./axes/scale";

export interface NearPoint {
  /** Index of the line among those searched. */
  readonly line: number;
  readonly point: number;
  readonly x: number;
  /** As logged: NaN and infinities too. */
  readonly y: number;
  readonly xPx: number;
  /** Where it or its mark is drawn; NaN when the axis cannot show it. */
  readonly yPx: number;
}

/** One point per line, in the order of the lines; lines without points are missing. */
export interface Found {
  readonly count: number;
  readonly lines: Int32Array;
  readonly points: Int32Array;
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  readonly xPx: Float64Array;
  readonly yPx: Float64Array;
}

export interface Axes {
  readonly x: Scale;
  readonly y: Scale;
  readonly y2: Scale;
  readonly plot: Plot;
}

/** Nearest in x; with `at`, nearest on the screen: for curves that rise vertically or turn back. */
export function findNearest(
  lines: readonly Series[],
  strokes: readonly Stroke[],
  from: number,
  axes: Axes,
  targetX: number,
  at: { x: number; y: number } | null = null,
): Found {
  const size = Math.max(0, lines.length - from);
  const found = {
    count: 0,
    lines: new Int32Array(size),
    points: new Int32Array(size),
    xs: new Float64Array(size),
    ys: new Float64Array(size),
    xPx: new Float64Array(size),
    yPx: new Float64Array(size),
  };
  // Most lines share a table: it is searched once.
  let table: Float64Array | null = null;
  let entry = 0;
  for (let i = from; i < lines.length; i++) {
    const line = lines[i] as Series;
    if (line.y.length === 0) continue;
    const scale = strokes[i]?.axis === "right" ? axes.y2 : axes.y;
    let point: number;
    let x: number;
    if (at) {
      point = nearestOnScreen(line, axes.x, scale, at);
      x = xOf(line)[point] as number;
    } else if (line.isSorted) {
      if (line.table !== table) {
        table = line.table;
        entry = lowerBound(table, targetX);
      }
      const at = nearestEntry(line, entry, targetX);
      point = line.mask ? countBefore(line.mask, at) : at;
      x = line.table[at] as number;
    } else {
      const xs = xOf(line);
      point = nearestUnsorted(xs, targetX);
      x = xs[point] as number;
    }
    const y = line.y[point] as number;
    const n = found.count++;
    found.lines[n] = i - from;
    found.points[n] = point;
    found.xs[n] = x;
    found.ys[n] = y;
    found.xPx[n] = axes.x.toPx(x);
    found.yPx[n] = Number.isFinite(y) ? scale.toPx(y) : markYPx(y, axes.plot);
  }
  return found;
}

/** The entry of a sorted line's table nearest to x, given the first at or above it. */
function nearestEntry({ table, mask }: Series, entry: number, x: number): number {
  let above = entry;
  let below = entry - 1;
  if (mask) {
    while (above < table.length && !hasBit(mask, above)) above++;
    while (below >= 0 && !hasBit(mask, below)) below--;
  }
  if (above >= table.length) return below;
  if (below < 0) return above;
  return x - (table[below] as number) < (table[above] as number) - x ? below : above;
}

const hasBit = (mask: Uint8Array, bit: number): boolean => ((mask[bit >> 3] as number) & (1 << (bit & 7))) !== 0;

/** The point of a line nearest to an x; null for a line without points. */
export function pointNear(line: Series, x: number): { readonly point: number; readonly x: number } | null {
  if (line.y.length === 0) return null;
  if (!line.isSorted) {
    const xs = xOf(line);
    const point = nearestUnsorted(xs, x);
    return { point, x: xs[point] as number };
  }
  const entry = nearestEntry(line, lowerBound(line.table, x), x);
  return { point: line.mask ? countBefore(line.mask, entry) : entry, x: line.table[entry] as number };
}

function nearestUnsorted(x: Float64Array, target: number): number {
  let best = 0;
  for (let i = 1; i < x.length; i++) {
    if (Math.abs((x[i] as number) - target) < Math.abs((x[best] as number) - target)) best = i;
  }
  return best;
}

function nearestOnScreen(line: Series, xScale: Scale, yScale: Scale, at: { x: number; y: number }): number {
  const { y } = line;
  const xs = xOf(line);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < y.length; i++) {
    const far = (xScale.toPx(xs[i] as number) - at.x) ** 2 + (yScale.toPx(y[i] as number) - at.y) ** 2;
    if (far < least) {
      best = i;
      least = far;
    }
  }
  return best;
}

/** Another point of the same line; null is one that is not drawn. */
export function moveTo(row: NearPoint, point: number | null, line: Series, axes: Axes, stroke?: Stroke): NearPoint {
  if (point === row.point) return row;
  if (point === null) return { ...row, xPx: Number.NaN, yPx: Number.NaN };
  const [x, y] = [xOf(line)[point] as number, line.y[point] as number];
  const scale = stroke?.axis === "right" ? axes.y2 : axes.y;
  return {
    line: row.line,
    point,
    x,
    y,
    xPx: axes.x.toPx(x),
    yPx: Number.isFinite(y) ? scale.toPx(y) : markYPx(y, axes.plot),
  };
}

export function pointAt(found: Found, i: number): NearPoint {
  return {
    line: found.lines[i] as number,
    point: found.points[i] as number,
    x: found.xs[i] as number,
    y: found.ys[i] as number,
    xPx: found.xPx[i] as number,
    yPx: found.yPx[i] as number,
  };
}

/** Distance from the pointer on screen; points that cannot be drawn are farthest. */
export function distancePx(at: { xPx: number; yPx: number }, xPx: number, yPx: number): number {
  const distance = Math.hypot((at.xPx - xPx) * 0.5, at.yPx - yPx);
  return Number.isFinite(distance) ? distance : Number.POSITIVE_INFINITY;
}

/** Index of the point closest to the pointer; -1 if there is none. */
export function closest(found: Found, xPx: number, yPx: number): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < found.count; i++) {
    const dx = ((found.xPx[i] as number) - xPx) * 0.5;
    const dy = (found.yPx[i] as number) - yPx;
    const far = dx * dx + dy * dy;
    if (far < least || best < 0) {
      best = i;
      if (far === far) least = far;
    }
  }
  return best;
}

/**
 * The first `limit` points in the given order; the one closest to the pointer is always among them.
 * Differs from TensorBoard: `nearest_y` sorts by distance, on both sides.
 */
export function pickRows(
  found: Found,
  limit: number,
  sort: TipSort,
  nameRank: Int32Array,
  xPx: number,
  yPx: number,
): NearPoint[] {
  const keys = new Float64Array(found.count);
  for (let i = 0; i < found.count; i++) {
    const y = found.ys[i] as number;
    const atY = found.yPx[i] as number;
    switch (sort) {
      case "alphabetical":
        keys[i] = nameRank[found.lines[i] as number] ?? i;
        break;
      case "ascending":
        keys[i] = y;
        break;
      case "descending":
        keys[i] = -y;
        break;
      case "nearest_pixel":
        keys[i] = distancePx({ xPx: found.xPx[i] as number, yPx: atY }, xPx, yPx);
        break;
      case "nearest_y":
        keys[i] = Math.abs(atY - yPx);
        break;
      default:
        sort satisfies never;
    }
    // Last in every order.
    if (keys[i] !== keys[i]) keys[i] = Number.POSITIVE_INFINITY;
  }
  const order = Int32Array.from(keys, (_, i) => i).sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
  const picked = Array.from(order.subarray(0, limit));
  const near = closest(found, xPx, yPx);
  if (picked.length > 0 && !picked.includes(near)) picked[picked.length - 1] = near;
  return picked.map((i) => pointAt(found, i));
}

/** The alphabetical rank of each name, with numbers by size. */
export function rankNames(names: readonly string[]): Int32Array {
  const { compare } = new Intl.Collator("en", { numeric: true });
  const rank = new Int32Array(names.length);
  names
    .map((_, i) => i)
    .sort((a, b) => compare(names[a] as string, names[b] as string) || a - b)
    .forEach((line, place) => (rank[line] = place));
  return rank;
}
