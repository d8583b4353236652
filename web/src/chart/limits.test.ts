import { describe, expect, it } from "vitest";
import { hintLimit, readLimits, writeLimits } from "./limits";

describe("typed limits", () => {
  const read = (low: string, high: string) => readLimits(low, high, "value", [2, 50]);

  it("are two numbers, either way round", () => {
    expect(read("0", "1e3")).toEqual([0, 1000]);
    expect(read("7", "-3")).toEqual([-3, 7]);
  });

  it("leave an empty end as it is, and the axis to the data when both are", () => {
    expect(read("", "100")).toEqual([2, 100]);
    expect(read("0", " ")).toEqual([0, 50]);
    expect(read("", "")).toBeNull();
  });

  it("must span something", () => {
    expect([read("1", "1"), read("one", "2"), read("1", "NaN")]).toEqual([undefined, undefined, undefined]);
    expect(readLimits("1h", "30m", "relative", [0, 1])).toEqual([1_800, 3_600]);
  });

  it("are written as they are read", () => {
    expect(writeLimits(null, "step")).toEqual(["", ""]);
    expect(writeLimits([0.1, 12_000], "value")).toEqual(["0.1", "12000"]);
    expect(hintLimit(1 / 3, "value")).toBe("0.333333");
  });
});
