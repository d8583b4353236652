// Which points are under the pointer or inside an area. Pure.

import { project, type View } from "./camera";

/** The rows that may be found, and their places in the same order, three numbers each. */
export interface Reachable {
  readonly places: Float32Array;
  readonly rows: Uint32Array;
  /** The first ones are greyed, and never found. */
  readonly greyedEnd: number;
}

export interface At {
  readonly x: number;
  readonly y: number;
}

const BATCH = 4_096;
const batchX = new Float64Array(BATCH);
const batchY = new Float64Array(BATCH);
const batchDepth = new Float64Array(BATCH);

/** Calls back with the pixels of the points from `start` on, a batch at a time: a call for each takes longer. */
function eachBatch(
  view: View,
  { places, greyedEnd }: Reachable,
  end: number,
  visit: (start: number, count: number) => void,
): void {
  const m = view.matrix;
  for (let start = greyedEnd; start < end; start += BATCH) {
    const count = Math.min(end - start, BATCH);
    for (let i = 0; i < count; i++) {
      const at = 3 * (start + i);
      const x = places[at] as number;
      const y = places[at + 1] as number;
      const z = places[at + 2] as number;
      const w = (m[8] as number) * x + (m[9] as number) * y + (m[10] as number) * z + (m[11] as number);
      batchX[i] = ((m[0] as number) * x + (m[1] as number) * y + (m[2] as number) * z + (m[3] as number)) / w;
      batchY[i] = ((m[4] as number) * x + (m[5] as number) * y + (m[6] as number) * z + (m[7] as number)) / w;
      batchDepth[i] = w;
    }
    visit(start, count);
  }
}

/** The nearest within reach; of two that are about as near, the one in front. */
export function nearestPoint(view: View, points: Reachable, at: At, reachPx: number): number | null {
  let best = -1;
  let bestCost = Infinity;
  const most = reachPx * reachPx;
  const { x, y } = at;
  eachBatch(view, points, points.rows.length, (start, count) => {
    for (let i = 0; i < count; i++) {
      const dx = (batchX[i] as number) - x;
      const dy = (batchY[i] as number) - y;
      const far = dx * dx + dy * dy;
      if (far > most || (batchDepth[i] as number) <= 0) continue;
      const cost = (Math.sqrt(far) + 1.5) * (batchDepth[i] as number);
      // Drawn later: on top.
      if (cost <= bestCost) {
        best = points.rows[start + i] as number;
        bestCost = cost;
      }
    }
  });
  return best < 0 ? null : best;
}

export function pointsInside(view: View, points: Reachable, count: number, area: readonly At[]): Uint8Array {
  const found = new Uint8Array(count);
  const [xs, ys] = [area.map(({ x }) => x), area.map(({ y }) => y)];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  eachBatch(view, points, points.rows.length, (start, size) => {
    for (let i = 0; i < size; i++) {
      const x = batchX[i] as number;
      const y = batchY[i] as number;
      if (x < left || x > right || y < top || y > bottom || (batchDepth[i] as number) <= 0) continue;
      if (isInside(x, y, xs, ys)) found[points.rows[start + i] as number] = 1;
    }
  });
  return found;
}

export function isInside(x: number, y: number, xs: readonly number[], ys: readonly number[]): boolean {
  let isIn = false;
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
    const xi = xs[i] as number;
    const yi = ys[i] as number;
    const xj = xs[j] as number;
    const yj = ys[j] as number;
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) isIn = !isIn;
  }
  return isIn;
}

export const boxAround = (from: At, to: At): readonly At[] => [
  from,
  { x: to.x, y: from.y },
  to,
  { x: from.x, y: to.y },
];

/** All points of the space that are not farther from the centre, whether they look near or not. */
export function pointsInBall(points: Reachable, count: number, center: readonly number[], radius: number): Uint8Array {
  const found = new Uint8Array(count);
  const cx = center[0] as number;
  const cy = center[1] as number;
  const cz = center[2] as number;
  const { places, rows, greyedEnd } = points;
  for (let i = greyedEnd; i < rows.length; i++) {
    const dx = (places[3 * i] as number) - cx;
    const dy = (places[3 * i + 1] as number) - cy;
    const dz = (places[3 * i + 2] as number) - cz;
    if (dx * dx + dy * dy + dz * dz <= radius * radius) found[rows[i] as number] = 1;
  }
  return found;
}

/** How far a drag to these pixels is from a point of the space, in units of the space. */
export function ballRadius(view: View, center: readonly [number, number, number], to: At): number {
  const [x, y, depth] = project(view, ...center);
  return (Math.hypot(to.x - x, to.y - y) / view.scale) * (depth / view.distance);
}

/** The first rows in the order of drawing that are on the screen, and how many of all that were looked at are. */
export function rowsInView(
  view: View,
  points: Reachable,
  most: number,
  look: number,
): { rows: number[]; seen: number } {
  const rows: number[] = [];
  let seen = 0;
  eachBatch(view, points, Math.min(points.rows.length, points.greyedEnd + look), (start, count) => {
    for (let i = 0; i < count; i++) {
      const x = batchX[i] as number;
      const y = batchY[i] as number;
      if (x < 0 || y < 0 || x > view.widthPx || y > view.heightPx || (batchDepth[i] as number) <= 0) continue;
      if (seen++ < most) rows.push(points.rows[start + i] as number);
    }
  });
  return { rows, seen };
}
