import { describe, expect, it } from "vitest";
import { sliceLines } from "./slice_lines";

const NONE = Number.NaN;

describe("lines along a setting", () => {
  it("have a point for each of few values", () => {
    const got = sliceLines([1, 0, 1, 1, NONE, 0], Float64Array.of(5, 2, 7, 9, 100, NONE), "min", true);
    expect(got).toEqual({ at: [0, 1], median: [2, 7], best: [2, 5], n: [1, 3] });
  });

  it("move a window over many", () => {
    const places = Array.from({ length: 120 }, (_, i) => i / 119);
    const got = sliceLines(
      places,
      Float64Array.from(places, (x) => x * 10),
      "max",
      false,
    );
    expect([got.at.length, got.n[0]]).toEqual([60, 15]);
    expect(got.median[0]).toBeCloseTo(70 / 119, 9);
    expect(got.best[0]).toBeCloseTo(140 / 119, 9);
    expect(got.at).toEqual([...got.at].sort((a, b) => a - b));
  });

  it("are not drawn through a handful of points", () => {
    expect(sliceLines([0, 0.3, 0.9], Float64Array.of(1, 2, 3), "max", false).at).toEqual([]);
  });

  it("follow the brushes", () => {
    const got = sliceLines([0, 0, 1], Float64Array.of(1, 3, 4), "max", true, Uint8Array.of(1, 0, 1));
    expect([got.best, got.n]).toEqual([
      [1, 4],
      [1, 1],
    ]);
  });
});
