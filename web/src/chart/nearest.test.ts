import { describe, expect, it } from "vitest";
import { type Stroke, toSeries } from "./model";
import { type Axes, closest, findNearest, moveTo, pickRows, pointAt, rankNames } from "./nearest";
import { makeScale } from "./axes/scale";

const line = (x: number[], y: number[]) => toSeries(new Float64Array(x), new Float64Array(y));
const axes: Axes = {
  x: makeScale("linear", [0, 10], [0, 100]),
  y: makeScale("linear", [0, 10], [100, 0]),
  y2: makeScale("linear", [0, 1000], [100, 0]),
  plot: { left: 0, top: 0, right: 100, bottom: 100 },
};
const stroke = (axis: Stroke["axis"]): Stroke => ({ color: "red", widthPx: 1, alpha: 1, dash: [], axis });
const nearestX = (series: ReturnType<typeof line>, at: number): number | undefined =>
  findNearest([series], [], 0, axes, at).xs[0];

describe("findNearest", () => {
  it("finds the nearer neighbour, also beyond the ends and in x that goes back", () => {
    const sorted = line([0, 2, 4], [0, 0, 0]);
    expect([-5, 0.9, 1.1, 3.5, 99].map((at) => nearestX(sorted, at))).toEqual([0, 0, 2, 4, 4]);
    expect(nearestX(line([0, 9, 3, 4], [0, 0, 0, 0]), 3.9)).toBe(4);
  });

  it("searches only a line's own entries of a shared table", () => {
    const table = Float64Array.from({ length: 20 }, (_, i) => i);
    const masked = toSeries(table, new Float64Array([10, 11, 12]), new Uint8Array([0b10, 0b10, 0b1000]));
    const found = [-1, 4, 6, 15, 99].map((at) => pointAt(findNearest([masked], [], 0, axes, at), 0));
    expect(found.map(({ x, y, point }) => [x, y, point])).toEqual([
      [1, 10, 0],
      [1, 10, 0],
      [9, 11, 1],
      [19, 12, 2],
      [19, 12, 2],
    ]);
  });

  it("searches from a given line on and returns one point per line that has any", () => {
    const found = findNearest([line([0], [0]), line([5], [1]), line([], []), line([5], [2])], [], 1, axes, 5);
    expect(Array.from({ length: found.count }, (_, i) => pointAt(found, i).line)).toEqual([0, 2]);
  });

  it("finds the nearest point on the screen where x is ambiguous", () => {
    const upright = line([0, 0, 0, 10], [0, 5, 9, 10]);
    const near = (x: number, y: number): number | undefined =>
      findNearest([upright], [], 0, axes, axes.x.toValue(x), { x, y }).points[0];
    expect([near(5, 98), near(5, 52), near(5, 5), near(90, 5)]).toEqual([0, 1, 2, 3]);
    expect(findNearest([line([0, 0], [Number.NaN, 1])], [], 0, axes, 0, { x: 0, y: 0 }).points[0]).toBe(1);
  });

  it("finds marks where they are drawn, and lines of the right axis on it", () => {
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((y) => line([5], [y]));
    const found = findNearest(
      [...odd, line([5], [500])],
      [...odd.map(() => stroke("left")), stroke("right")],
      0,
      axes,
      5,
    );
    expect(Array.from(found.ys)).toEqual([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 500]);
    expect(Array.from(found.yPx)).toEqual([100, 3.5, 96.5, 50]);
    expect(closest(found, 50, 0)).toBe(1);
  });
});

describe("moveTo", () => {
  it("goes to another point of the line, on its axis, or to none", () => {
    const lines = [line([0, 4, 8], [1, 500, 3])];
    const row = pointAt(findNearest(lines, [stroke("right")], 0, axes, 0), 0);
    expect(moveTo(row, 1, lines[0]!, axes, stroke("right"))).toEqual({
      line: 0,
      point: 1,
      x: 4,
      y: 500,
      xPx: 40,
      yPx: 50,
    });
    expect(moveTo(row, 0, lines[0]!, axes, stroke("right"))).toBe(row);
    expect(moveTo(row, null, lines[0]!, axes).yPx).toBeNaN();
  });
});

describe("rows for the pointer", () => {
  const lines = [line([0, 5], [1, 1]), line([], []), line([5], [8]), line([5], [Number.NaN]), line([5], [5])];
  const found = findNearest(lines, [], 0, axes, 5.2);
  const rank = rankNames(["run 10", "x", "Run 9", "a", "b"]);
  const rows = (sort: Parameters<typeof pickRows>[2], limit = 10, yPx = 50) =>
    pickRows(found, limit, sort, rank, 52, yPx).map((row) => row.line);

  it("are sorted as requested, with missing values last", () => {
    expect(rows("descending")).toEqual([2, 4, 0, 3]);
    expect(rows("ascending")).toEqual([0, 4, 2, 3]);
    expect(rows("alphabetical")).toEqual([3, 4, 2, 0]);
    expect(rows("nearest_pixel", 10, 80)).toEqual([0, 3, 4, 2]);
  });

  it("sort by distance in y, on both sides", () => {
    expect(rows("nearest_y", 10, 30)).toEqual([2, 4, 0, 3]);
    expect(rows("nearest_y", 10, 60)).toEqual([4, 0, 2, 3]);
  });

  it("always include the one closest to the pointer", () => {
    expect(rows("descending", 2, 90)).toEqual([2, 0]);
    expect(closest(found, 52, 90)).toBe(0);
    expect(closest(findNearest([], [], 0, axes, 0), 0, 0)).toBe(-1);
  });
});
