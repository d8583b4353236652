import { describe, expect, it } from "vitest";
import { findPoint } from "./point_details.svelte";

const points = {
  run: "a", tag: "loss", generation: 1, offset: 0, step: [0, 10, 10, 20], wall_time: [100, 101.5, 102, 103.25], value: [1, 2, "NaN" as const, 4],
  segment: [0, 0, 0, 0],
};

describe("findPoint", () => {
  it("finds by step, by time and by time since the start", () => {
    expect(findPoint(points, 20, "step")).toEqual({ step: 20, wallTimeS: 103.25, value: 4 });
    expect(findPoint(points, 101.5, "wall")).toEqual({ step: 10, wallTimeS: 101.5, value: 2 });
    expect(findPoint(points, 3.25, "relative")).toEqual({ step: 20, wallTimeS: 103.25, value: 4 });
  });

  it("takes the last of equal steps and knows nothing of others", () => {
    expect(findPoint(points, 10, "step")).toEqual({ step: 10, wallTimeS: 102, value: Number.NaN });
    expect(findPoint(points, 11, "step")).toBeNull();
  });
});
