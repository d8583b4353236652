import { describe, expect, it } from "vitest";
import { readLimits } from "./AxisLimits.svelte";

describe("readLimits", () => {
  it("takes two numbers in any order, or none", () => {
    expect(readLimits("0", "1e3")).toEqual({ range: [0, 1000] });
    expect(readLimits("5", "-5")).toEqual({ range: [-5, 5] });
    expect(readLimits(" ", "")).toEqual({ range: undefined });
  });

  it("says what is wrong", () => {
    expect(readLimits("1", "")).toMatchObject({ error: expect.stringContaining("both") as string });
    expect(readLimits("1", "x2")).toEqual({ error: "x2 is not a number." });
    expect(readLimits("2", "2")).toMatchObject({ error: expect.stringContaining("differ") as string });
  });
});
