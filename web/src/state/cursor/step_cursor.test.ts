import { describe, expect, it } from "vitest";
import type { SeriesSteps } from "../../api/steps";
import { findNearest, inStepOrder, placesOn, sampleAt, unitePlaces } from "./step_cursor";

const series = (step: number[]): SeriesSteps => ({
  run: "a",
  tag: "b",
  generation: 1,
  step: Float64Array.from(step),
  wallTime: Float64Array.from(step, (_, i) => 100 + i),
  row: Uint32Array.from(step, (_, i) => i),
});

describe("the cursor", () => {
  it("is at the newest value until it is moved", () => {
    expect(findNearest(Float64Array.of(1, 5, 9), null)).toBe(2);
    expect(findNearest(new Float64Array(), null)).toBe(-1);
    expect(findNearest(new Float64Array(), 3)).toBe(-1);
  });

  it("finds the nearest value, the later one of two equally near", () => {
    const places = Float64Array.of(0, 10, 10, 20);
    expect(findNearest(places, 10)).toBe(2);
    expect(findNearest(places, 15)).toBe(3);
    expect(findNearest(places, -1e9)).toBe(0);
    expect(findNearest(places, Infinity)).toBe(3);
  });

  it("stays in a range, unless nothing is in it", () => {
    const places = Float64Array.of(0, 10, 20, 30);
    expect(findNearest(places, null, [5, 25])).toBe(2);
    expect(findNearest(places, 0, [5, 25])).toBe(1);
    expect(findNearest(places, 99, [5, 25])).toBe(2);
    expect(findNearest(places, 0, [11, 19])).toBe(0);
    expect(findNearest(new Float64Array(), 0, [5, 25])).toBe(-1);
  });

  it("goes through steps in order, for any order in the file", () => {
    const ordered = inStepOrder(series([5, 1, 5, 3]));
    expect([...ordered.step]).toEqual([1, 3, 5, 5]);
    expect([...ordered.row]).toEqual([1, 3, 0, 2]);
    expect(sampleAt(ordered, 2)).toEqual({ run: "a", tag: "b", row: 0, step: 5, wallTime: 100 });
    expect(sampleAt(ordered, 4)).toBeNull();
  });

  it("works on any time axis", () => {
    expect([...placesOn("relative", series([7, 8]), 99)]).toEqual([1, 2]);
    expect([...placesOn("wall", series([7, 8]), 99)]).toEqual([100, 101]);
    expect([...placesOn("step", series([7, 8]), 99)]).toEqual([7, 8]);
  });

  it("unites the places of several series", () => {
    expect([...unitePlaces([Float64Array.of(3, 10), Float64Array.of(2, 3)])]).toEqual([2, 3, 10]);
  });
});
