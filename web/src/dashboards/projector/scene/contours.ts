// Lines of equal density over points in the plane: counts on a grid, blurred, and followed by marching squares. Pure.

import { boundsOf } from "./camera";

/** Closed or open lines of one level, in the units of the positions: x, y, x, y, … */
export interface Contour {
  readonly level: number;
  readonly lines: readonly Float32Array[];
}

const LEVELS = [0.06, 0.2, 0.42, 0.7];
const LONG_SIDE = 170;
/** Fewer points have no density to speak of. */
const LEAST_POINTS = 20;

/** The outermost line around fewer points than make a cluster has so many numbers per cell of blur. */
const FEW = 32;

const BLOCK = 8;

/**
 * How far to blur, in cells: about as far as points are apart where there are any, or each would have a ring of its
 * own. Measured in coarse blocks.
 */
function reachFor(positions: Float32Array, rows: Uint32Array, x0: number, y0: number, cell: number): number {
  const isOccupied = new Set<number>();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const column = Math.floor(((positions[3 * row] as number) - x0) / (cell * BLOCK));
    const line = Math.floor(((positions[3 * row + 1] as number) - y0) / (cell * BLOCK));
    isOccupied.add(line * 4096 + column);
  }
  const apart = Math.sqrt((isOccupied.size * BLOCK * BLOCK) / rows.length);
  return Math.min(Math.max(Math.round(1.25 * apart), 1), 12);
}

/** `positions`: three numbers per row, of which the first two count; all of `rows` have a place. */
export function contoursOf(positions: Float32Array, rows: Uint32Array): Contour[] {
  if (rows.length < LEAST_POINTS) return [];
  // Few points far away would leave the others one cell.
  const { center, half } = boundsOf(positions);
  const size = 2 * Math.max(half[0], half[1]);
  if (!(size > 1e-6)) return [];
  const cell = size / LONG_SIDE;
  const reach = reachFor(positions, rows, center[0] - half[0], center[1] - half[1], cell);
  const edge = 3 * reach + 2;
  const [x0, y0] = [center[0] - half[0] - edge * cell, center[1] - half[1] - edge * cell];
  const columns = Math.ceil((2 * half[0]) / cell) + 2 * edge + 1;
  const lines = Math.ceil((2 * half[1]) / cell) + 2 * edge + 1;
  let density: Float32Array = new Float32Array(columns * lines);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const column = Math.round(((positions[3 * row] as number) - x0) / cell);
    const line = Math.round(((positions[3 * row + 1] as number) - y0) / cell);
    if (column < 0 || line < 0 || column >= columns || line >= lines) continue;
    density[line * columns + column] = (density[line * columns + column] as number) + 1;
  }
  for (let pass = 0; pass < 3; pass++) {
    density = blurred(density, reach, columns, lines, 1, columns);
    density = blurred(density, reach, lines, columns, columns, 1);
  }
  const top = nearTop(density);
  if (!(top > 0)) return [];
  return LEVELS.map((level, i) => ({
    level,
    lines: linesAt(density, columns, lines, level * top, i === 0 ? FEW * reach : 6).map((line) =>
      line.map((value, i) => (i % 2 === 0 ? x0 : y0) + value * cell),
    ),
  }));
}

/** The mean of those within reach along one axis; `across` is the way to the next line of that axis. */
function blurred(
  from: Float32Array,
  reach: number,
  length: number,
  others: number,
  along: number,
  across: number,
): Float32Array {
  const to = new Float32Array(from.length);
  for (let other = 0; other < others; other++) {
    const start = other * across;
    let sum = 0;
    for (let i = 0; i < Math.min(reach, length); i++) sum += from[start + i * along] as number;
    for (let i = 0; i < length; i++) {
      if (i + reach < length) sum += from[start + (i + reach) * along] as number;
      if (i - reach - 1 >= 0) sum -= from[start + (i - reach - 1) * along] as number;
      to[start + i * along] = Math.max(sum, 0) / (2 * reach + 1);
    }
  }
  return to;
}

/** Few cells are denser. The very densest would hide all other clusters. */
function nearTop(density: Float32Array): number {
  const occupied = density.filter((value) => value > 1e-3).sort();
  return occupied[Math.floor(occupied.length * 0.97)] ?? 0;
}

/** Edges of a cell: 0 below, 1 right, 2 above, 3 left; corners: 1, 2, 4, 8 from the lower left on. */
const SEGMENTS: readonly (readonly number[])[] = [
  [],
  [3, 0],
  [0, 1],
  [3, 1],
  [1, 2],
  [3, 2, 1, 0],
  [0, 2],
  [3, 2],
  [2, 3],
  [2, 0],
  [0, 3, 2, 1],
  [2, 1],
  [1, 3],
  [1, 0],
  [0, 3],
  [],
];

/** `least`: shorter lines are left out. */
function linesAt(density: Float32Array, columns: number, lines: number, level: number, least: number): Float32Array[] {
  const at = (column: number, line: number): number => density[line * columns + column] as number;
  // Each crossing of an edge of the grid leads to the next: horizontal edges first, then vertical ones.
  const next = new Map<number, number>();
  const vertical = columns * lines;
  const edge = (column: number, line: number, side: number): number =>
    side === 0
      ? line * columns + column
      : side === 2
        ? (line + 1) * columns + column
        : vertical + line * columns + column + (side === 1 ? 1 : 0);
  for (let line = 0; line < lines - 1; line++)
    for (let column = 0; column < columns - 1; column++) {
      const corners =
        (at(column, line) > level ? 1 : 0) |
        (at(column + 1, line) > level ? 2 : 0) |
        (at(column + 1, line + 1) > level ? 4 : 0) |
        (at(column, line + 1) > level ? 8 : 0);
      const ends = SEGMENTS[corners] as readonly number[];
      for (let i = 0; i < ends.length; i += 2)
        next.set(edge(column, line, ends[i] as number), edge(column, line, ends[i + 1] as number));
    }
  const place = (key: number): [number, number] => {
    const isVertical = key >= vertical;
    const cell = isVertical ? key - vertical : key;
    const [column, line] = [cell % columns, Math.floor(cell / columns)];
    const a = at(column, line);
    const b = isVertical ? at(column, line + 1) : at(column + 1, line);
    const part = (level - a) / (b - a);
    return isVertical ? [column, line + part] : [column + part, line];
  };
  const found: Float32Array[] = [];
  while (next.size > 0) {
    const [first] = next.keys();
    const points: number[] = [];
    let key = first;
    while (key !== undefined) {
      points.push(...place(key));
      const following = next.get(key);
      next.delete(key);
      key = following;
    }
    if (points.length >= least) found.push(Float32Array.from(points));
  }
  return found;
}
