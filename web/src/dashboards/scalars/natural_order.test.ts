import { describe, expect, it } from "vitest";
import { sortNaturally } from "./natural_order";

describe("sortNaturally", () => {
  it("compares numbers as numbers, with decimals and exponents", () => {
    const sorted = ["layer2", "layer10", "lr_1e-4", "lr_0.01", "lr_0.1", "lr_1", "lr_10x", "lr_15x", "lr_20"];
    expect(sortNaturally(sorted.toReversed())).toEqual(sorted);
  });

  it("puts a slash before every other character", () => {
    const sorted = ["a", "a/b", "a b", "a-b", "ab"];
    expect(sortNaturally(sorted.toReversed())).toEqual(sorted);
  });

  it("takes large and small letters as equal, but always in the same order", () => {
    expect(sortNaturally(["b", "B", "a", "A"])).toEqual(["A", "a", "B", "b"]);
    expect(sortNaturally(["B", "b", "A", "a"])).toEqual(["A", "a", "B", "b"]);
  });

  it("survives digits that no number holds", () => {
    const long = "9".repeat(400);
    expect(sortNaturally([`x${long}`, "x1", "x0"])).toEqual(["x0", "x1", `x${long}`]);
  });
});
