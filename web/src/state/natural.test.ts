import { describe, expect, it } from "vitest";
import { type Cell, compareCells, compareNatural, pickExtremes, sortNatural } from "./natural";

describe("natural order", () => {
  it("takes numbers inside names by size and ignores case", () => {
    const names = ["run10", "Run2", "run1", "lr=1e-3", "lr=0.1"];
    expect(sortNatural(names)).toEqual(["lr=0.1", "lr=1e-3", "run1", "Run2", "run10"]);
    expect(sortNatural(names)).toEqual([...names].sort(compareNatural));
  });

  it("takes what follows a `0.` for a fraction, and other points for those of a version", () => {
    expect(sortNatural(["lr=0.5", "lr=0.10", "lr=0.05", "lr=1"])).toEqual(["lr=0.05", "lr=0.10", "lr=0.5", "lr=1"]);
    expect(sortNatural(["v1.10", "v1.9"])).toEqual(["v1.9", "v1.10"]);
  });

  it("has one order for names that differ in case only", () => {
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
  const pick = (n: number, isHighest: boolean): string[] => pickExtremes(Object.keys(values), (name) => values[name] ?? null, n, isHighest);

  it("takes the highest or the lowest, best first, ties by name", () => {
    expect(pick(2, true)).toEqual(["c", "a"]);
    expect(pick(2, false)).toEqual(["e", "a"]);
  });

  it("never takes a run without the value", () => {
    expect(pick(100, true)).toEqual(["c", "a", "f", "e"]);
    expect(pick(0, true)).toEqual([]);
  });
});
