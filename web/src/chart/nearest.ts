// What lies under the pointer: for each line, its point nearest in x.

import { lowerBound, type Series, xOf } from "./model";
import type { Scale } from "./scale";

export interface NearPoint {
  /** Index of the line among those searched. */
  readonly line: number;
  readonly point: number;
  readonly x: number;
  readonly y: number;
  readonly xPx: number;
  readonly yPx: number;
}

/** One point a line, in the lines' order; lines without points are left out. */
export function nearestInX(lines: readonly Series[], x: Scale, y: Scale, pointerPx: number): NearPoint[] {
  const target = x.toValue(pointerPx);
  const found: NearPoint[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Series;
    const point = nearestIndex(line, target);
    if (point < 0) continue;
    const atX = xOf(line)[point] as number;
    const atY = line.y[point] as number;
    found.push({ line: i, point, x: atX, y: atY, xPx: x.toPx(atX), yPx: y.toPx(atY) });
  }
  return found;
}

export function nearestIndex(series: Series, target: number): number {
  const x = xOf(series);
  if (x.length === 0) return -1;
  if (series.isSorted) {
    const above = Math.min(lowerBound(x, target), x.length - 1);
    const below = Math.max(above - 1, 0);
    return target - (x[below] as number) < (x[above] as number) - target ? below : above;
  }
  let best = 0;
  for (let i = 1; i < x.length; i++) {
    if (Math.abs((x[i] as number) - target) < Math.abs((x[best] as number) - target)) best = i;
  }
  return best;
}

/** Distance from the pointer on screen; points that cannot be drawn are farthest. */
export function distancePx(point: NearPoint, xPx: number, yPx: number): number {
  const distance = Math.hypot((point.xPx - xPx) * 0.5, point.yPx - yPx);
  return Number.isFinite(distance) ? distance : Number.POSITIVE_INFINITY;
}

/** The `limit` points nearest to the pointer, ordered as they lie on screen from top to bottom. */
export function pickRows(points: readonly NearPoint[], limit: number, xPx: number, yPx: number): NearPoint[] {
  let rows = [...points];
  if (rows.length > limit) {
    const byDistance = rows.map((point) => ({ point, far: distancePx(point, xPx, yPx) })).sort((a, b) => a.far - b.far);
    rows = byDistance.slice(0, limit).map(({ point }) => point);
  }
  return rows.sort((a, b) => height(b) - height(a) || a.line - b.line);
}

const height = (point: NearPoint): number => (Number.isNaN(point.y) ? Number.NEGATIVE_INFINITY : point.y);

export function closest(points: readonly NearPoint[], xPx: number, yPx: number): NearPoint | null {
  let best: NearPoint | null = null;
  for (const point of points) {
    if (!best || distancePx(point, xPx, yPx) < distancePx(best, xPx, yPx)) best = point;
  }
  return best;
}
