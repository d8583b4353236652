import { describe, expect, it } from "vitest";
import { toSeries } from "../../chart/model";
import type { CardLine } from "../../lines/card_model";
import { bandBetween, boundsOf, findMarginTrouble, marginsOf } from "./margins";

const series = (x: number[], y: number[]) => toSeries(new Float64Array(x), new Float64Array(y));
const line = (run: string, tag: string, x: number[], y: number[]): CardLine => ({
  run,
  tag,
  role: "smoothed",
  generation: 1,
  total: x.length,
  series: series(x, y),
});
const WANTED = [{ value: "v", lower: "lo", upper: "hi" }];

describe("bandBetween", () => {
  it("uses the points as they are where both have the same", () => {
    const band = bandBetween(series([0, 1], [1, 2]), series([0, 1], [3, 4]));
    expect([[...band.table], [...band.low], [...band.high]]).toEqual([
      [0, 1],
      [1, 2],
      [3, 4],
    ]);
  });

  it("is straight between points that only one of them has, and ends with the shorter", () => {
    const band = bandBetween(series([0, 2], [0, 2]), series([0, 1, 3], [10, 11, 13]));
    expect([...band.table]).toEqual([0, 1, 2, 3]);
    expect([...band.low]).toEqual([0, 1, 2, Number.NaN]);
    expect([...band.high]).toEqual([10, 11, 12, 13]);
  });
});

describe("marginsOf", () => {
  it("has a band for every run with both bounds", () => {
    const lines = [
      line("a", "v", [0], [1]),
      line("a", "lo", [0], [0]),
      line("a", "hi", [0], [2]),
      line("b", "lo", [0], [0]),
    ];
    expect(marginsOf(lines, WANTED).map(({ run }) => run)).toEqual(["a"]);
  });
});

describe("findMarginTrouble", () => {
  const tags: Record<string, string[]> = { a: ["v", "lo", "hi"], b: ["v"], c: [] };
  const has = (run: string, tag: string): boolean => tags[run]?.includes(tag) ?? false;

  it("names what a run lacks, unless it has nothing of it", () => {
    expect(findMarginTrouble(WANTED, ["a", "b", "c"], has, [])).toEqual(["b has no lo and no hi."]);
  });

  it("leaves out what no run has, which is said of the chart", () => {
    expect(findMarginTrouble([{ value: "v", lower: "lo", upper: "nowhere" }], ["a"], has, [])).toEqual([]);
  });

  it("says when bounds have other points than their value", () => {
    const lines = [line("a", "v", [0, 1], [1, 1]), line("a", "lo", [0], [0]), line("a", "hi", [0, 1], [2, 2])];
    expect(findMarginTrouble(WANTED, ["a"], has, lines)).toEqual([
      "a: v has 2 points, lo has 1 points, hi has 2 points. The band is straight between its own.",
    ]);
  });
});

describe("boundsOf", () => {
  it("finds the bounds of every value, where its run has them", () => {
    const lines = [
      line("a", "v", [0], [1]),
      line("a", "lo", [0], [0]),
      line("a", "hi", [0], [2]),
      line("b", "v", [0], [1]),
      line("b", "hi", [0], [3]),
    ];
    const values = lines.filter((each) => each.tag === "v");
    const found = boundsOf(values, lines, WANTED);
    expect(found.map(({ lower, upper }) => [lower?.series.y[0], upper?.series.y[0]])).toEqual([
      [0, 2],
      [undefined, 3],
    ]);
    expect(found[0]?.lower?.tag).toBe("lo");
  });
});
