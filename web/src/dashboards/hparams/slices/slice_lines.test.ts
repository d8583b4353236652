import { describe, expect, it } from "vitest";
import type { Goal } from "../answer";
import { ranksOf } from "./rank_window";
import { rowsAlong, type SliceLines, sliceLines } from "./slice_lines";

const linesOf = (
  places: readonly number[],
  metric: Float64Array,
  goal: Goal,
  isDiscrete: boolean,
  included?: Uint8Array,
): SliceLines => {
  const ranks = ranksOf(metric);
  return sliceLines(rowsAlong(places, ranks), places, ranks, goal, isDiscrete, included);
};

const NONE = Number.NaN;

describe("lines along a setting", () => {
  it("have a point for each of few values", () => {
    const got = linesOf([1, 0, 1, 1, NONE, 0], Float64Array.of(5, 2, 7, 9, 100, NONE), "min", true);
    expect(got).toEqual({ at: [0, 1], median: [2, 7], best: [2, 5], n: [1, 3] });
  });

  it("move a window over many", () => {
    const places = Array.from({ length: 120 }, (_, i) => i / 119);
    const got = linesOf(
      places,
      Float64Array.from(places, (x) => x * 10),
      "max",
      false,
    );
    expect([got.at.length, got.n[0]]).toEqual([40, 15]);
    expect(got.median[0]).toBeCloseTo(70 / 119, 9);
    expect(got.best[0]).toBeCloseTo(140 / 119, 9);
    expect(got.at).toEqual([...got.at].sort((a, b) => a - b));
  });

  it("are not drawn through a handful of points", () => {
    expect(linesOf([0, 0.3, 0.9], Float64Array.of(1, 2, 3), "max", false).at).toEqual([]);
  });

  it("follow the brushes", () => {
    const got = linesOf([0, 0, 1], Float64Array.of(1, 3, 4), "max", true, Uint8Array.of(1, 0, 1));
    expect([got.best, got.n]).toEqual([
      [1, 4],
      [1, 1],
    ]);
  });
});
