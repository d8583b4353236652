import { describe, expect, it } from "vitest";
import { type Cell, compareCells, compareNatural, pickExtremes, sortNatural } from "./natural";

describe("natural order", () => {
  it("compares numbers as numbers, with decimals and exponents", () => {
    const sorted = ["layer2", "layer10", "lr_1e-4", "lr_0.01", "lr_0.1", "lr_1", "lr_10x", "lr_15x", "lr_20"];
    expect(sortNatural(sorted.toReversed())).toEqual(sorted);
    expect(sorted.toReversed().sort(compareNatural)).toEqual(sorted);
  });

  it("puts a slash before every other character", () => {
    const sorted = ["a", "a/b", "a b", "a-b", "ab"];
    expect(sortNatural(sorted.toReversed())).toEqual(sorted);
  });

  it("handles more digits than a number has", () => {
    const long = "9".repeat(400);
    expect(sortNatural([`x${long}`, "x1", "x0"])).toEqual(["x0", "x1", `x${long}`]);
  });

  it("has a fixed order for names that differ only in case", () => {
    expect(["b", "A", "a"].sort(compareNatural)).toEqual(["A", "a", "b"]);
    expect(["a", "A"].sort(compareNatural)).toEqual(["A", "a"]);
  });

  it("puts missing values and NaN last in both directions", () => {
    const cells: Cell[] = [null, 3, Number.NaN, -1, "", Infinity];
    expect([...cells].sort((a, b) => compareCells(a, b, false)).slice(0, 3)).toEqual([-1, 3, Infinity]);
    expect([...cells].sort((a, b) => compareCells(a, b, true)).slice(0, 3)).toEqual([Infinity, 3, -1]);
  });

  it("puts numbers before texts, and texts in natural order", () => {
    const cells: Cell[] = ["b10", 2, "b9", true];
    expect(cells.sort((a, b) => compareCells(a, b, false))).toEqual([true, 2, "b9", "b10"]);
  });
});

describe("pickExtremes", () => {
  const values: Record<string, Cell> = { a: 0.9, b: null, c: 0.95, d: Number.NaN, e: 0.1, f: 0.9 };
  const pick = (n: number, isHighest: boolean): string[] =>
    pickExtremes(Object.keys(values), (name) => values[name] ?? null, n, isHighest);

  it("picks the highest or the lowest, best first, ties by name", () => {
    expect(pick(2, true)).toEqual(["c", "a"]);
    expect(pick(2, false)).toEqual(["e", "a"]);
  });

  it("never picks a run without the value", () => {
    expect(pick(100, true)).toEqual(["c", "a", "f", "e"]);
    expect(pick(0, true)).toEqual([]);
  });
});
