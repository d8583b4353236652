// Lines of equal value on a grid, by marching squares. Pure.

import { LEAST_SUPPORT, type Surface } from "./surface";

type Point = readonly [number, number];

/** Of the span of all values. */
const LEAST_SLOPE = 1e-6;

function spanOf(values: Float64Array): number {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high > low ? high - low : 0;
}

/** Pieces of lines as x1, y1, x2, y2, in places from 0 to 1. */
export function contourOf({ columns, rows, mean, support }: Surface, level: number): number[] {
  const pieces: number[] = [];
  const least = LEAST_SLOPE * spanOf(mean);
  for (let y = 0; y + 1 < rows; y++)
    for (let x = 0; x + 1 < columns; x++) {
      const cell = y * columns + x;
      // Around the cell: left below, right below, right above, left above.
      const corners = [cell, cell + 1, cell + columns + 1, cell + columns];
      if (corners.some((corner) => !((support[corner] as number) >= LEAST_SUPPORT))) continue;
      const values = corners.map((corner) => (mean[corner] as number) - level);
      const crossings: Point[] = [];
      for (let side = 0; side < 4; side++) {
        const a = values[side] as number;
        const b = values[(side + 1) % 4] as number;
        // On a plateau, rounding alone makes the difference.
        if (a < 0 === b < 0 || Math.abs(a - b) < least) continue;
        const part = a / (a - b);
        const [fromX, fromY] = CORNERS[side] as Point;
        const [toX, toY] = CORNERS[(side + 1) % 4] as Point;
        crossings.push([
          (x + fromX + (toX - fromX) * part) / (columns - 1),
          (y + fromY + (toY - fromY) * part) / (rows - 1),
        ]);
      }
      // A saddle has four: what the middle says decides which of them belong together.
      if (crossings.length === 4) {
        const middle = values.reduce((sum, value) => sum + value, 0);
        if (middle < 0 !== (values[0] as number) < 0) crossings.unshift(crossings.pop() as Point);
      }
      for (let i = 0; i + 1 < crossings.length; i += 2)
        pieces.push(...(crossings[i] as Point), ...(crossings[i + 1] as Point));
    }
  return pieces;
}

const CORNERS: readonly Point[] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];
