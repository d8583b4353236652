// Which points are under the pointer or inside an area. Pure.

import { project, type View } from "./camera";

/** The rows in this list that may be found, and where they are now. */
export interface Reachable {
  readonly positions: Float32Array;
  readonly rows: Uint32Array;
  /** The first ones are greyed, and never found. */
  readonly greyedEnd: number;
}

export interface At {
  readonly x: number;
  readonly y: number;
}

/** Calls back with the pixels of every point in front of the viewer. */
function eachPixel(
  view: View,
  { positions, rows, greyedEnd }: Reachable,
  visit: (row: number, x: number, y: number, depth: number) => void,
): void {
  const m = view.matrix;
  const [m0, m1, m2, m3] = [m[0] as number, m[1] as number, m[2] as number, m[3] as number];
  const [m4, m5, m6, m7] = [m[4] as number, m[5] as number, m[6] as number, m[7] as number];
  const [m8, m9, m10, m11] = [m[8] as number, m[9] as number, m[10] as number, m[11] as number];
  for (let i = greyedEnd; i < rows.length; i++) {
    const row = rows[i] as number;
    const at = 3 * row;
    const [x, y, z] = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number];
    const w = m8 * x + m9 * y + m10 * z + m11;
    if (w > 0) visit(row, (m0 * x + m1 * y + m2 * z + m3) / w, (m4 * x + m5 * y + m6 * z + m7) / w, w);
  }
}

/** The nearest within reach; of two that are about as near, the one in front. */
export function nearestPoint(view: View, points: Reachable, at: At, reachPx: number): number | null {
  let best: number | null = null;
  let bestCost = Infinity;
  const most = reachPx * reachPx;
  eachPixel(view, points, (row, x, y, depth) => {
    const [dx, dy] = [x - at.x, y - at.y];
    const far = dx * dx + dy * dy;
    if (far > most) return;
    const cost = (Math.sqrt(far) + 1.5) * depth;
    // Drawn later: on top.
    if (cost <= bestCost) [best, bestCost] = [row, cost];
  });
  return best;
}

export function pointsInside(view: View, points: Reachable, count: number, area: readonly At[]): Uint8Array {
  const found = new Uint8Array(count);
  const [xs, ys] = [area.map(({ x }) => x), area.map(({ y }) => y)];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  eachPixel(view, points, (row, x, y) => {
    if (x >= left && x <= right && y >= top && y <= bottom && isInside(x, y, xs, ys)) found[row] = 1;
  });
  return found;
}

export function isInside(x: number, y: number, xs: readonly number[], ys: readonly number[]): boolean {
  let isIn = false;
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
    const [xi, yi, xj, yj] = [xs[i] as number, ys[i] as number, xs[j] as number, ys[j] as number];
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
  const [cx, cy, cz] = [center[0] as number, center[1] as number, center[2] as number];
  const { positions, rows, greyedEnd } = points;
  for (let i = greyedEnd; i < rows.length; i++) {
    const at = 3 * (rows[i] as number);
    const [dx, dy, dz] = [
      (positions[at] as number) - cx,
      (positions[at + 1] as number) - cy,
      (positions[at + 2] as number) - cz,
    ];
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
  const some = { ...points, rows: points.rows.subarray(0, points.greyedEnd + look) };
  eachPixel(view, some, (row, x, y) => {
    if (x < 0 || y < 0 || x > view.widthPx || y > view.heightPx) return;
    if (seen++ < most) rows.push(row);
  });
  return { rows, seen };
}
