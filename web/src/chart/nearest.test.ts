import { describe, expect, it } from "vitest";
import { toSeries } from "./model";
import { closest, nearestIndex, nearestInX, pickRows } from "./nearest";
import { linearScale } from "./scale";

const line = (x: number[], y: number[]) => toSeries(new Float64Array(x), new Float64Array(y));
const x = linearScale([0, 10], [0, 100]);
const y = linearScale([0, 10], [100, 0]);

describe("nearestIndex", () => {
  it("finds the nearer neighbour, also beyond the ends and in x that goes back", () => {
    const sorted = line([0, 2, 4], [0, 0, 0]);
    expect([-5, 0.9, 1.1, 3.5, 99].map((at) => nearestIndex(sorted, at))).toEqual([0, 0, 1, 2, 2]);
    expect(nearestIndex(line([0, 9, 3, 4], [0, 0, 0, 0]), 3.9)).toBe(3);
    expect(nearestIndex(line([], []), 1)).toBe(-1);
  });
});

describe("rows for the pointer", () => {
  const lines = [line([0, 5], [1, 1]), line([], []), line([5], [8]), line([5], [Number.NaN]), line([5], [5])];
  const points = nearestInX(lines, x, y, 52);

  it("has one point for each line that has any", () => {
    expect(points.map((point) => [point.line, point.x])).toEqual([[0, 5], [2, 5], [3, 5], [4, 5]]);
  });

  it("is ordered as on screen, with what cannot be drawn last", () => {
    expect(pickRows(points, 10, 52, 50).map((point) => point.line)).toEqual([2, 4, 0, 3]);
  });

  it("keeps those nearest to the pointer when there are too many", () => {
    expect(pickRows(points, 2, 52, 90).map((point) => point.line)).toEqual([4, 0]);
    expect(closest(points, 52, 90)?.line).toBe(0);
    expect(closest([], 0, 0)).toBeNull();
  });
});
