import { describe, expect, it } from "vitest";
import type { Area } from "../../chart/model";
import type { TimeAxis } from "../../state/view/view";
import {
  areaAround,
  areasOf,
  aroundMiddle,
  type Bands,
  decodeBands,
  nameOf,
  PRESETS,
  readPercentiles,
  readZoom,
  strokesOf,
  USUAL,
  writeZoom,
  xOf,
} from "./bands";

function pack(head: object, numbers: readonly number[]): ArrayBuffer {
  const text = JSON.stringify(head);
  const encoded = new TextEncoder().encode(text + " ".repeat((8 - (text.length % 8)) % 8));
  const start = [..."RGC1"].map((letter) => letter.charCodeAt(0));
  return new Uint8Array([
    ...start,
    ...new Uint8Array(new Uint32Array([encoded.length]).buffer),
    ...encoded,
    ...new Uint8Array(new Float64Array(numbers).buffer),
  ]).buffer;
}

describe("bands over the wire", () => {
  const problems = [{ step: 5, problem: "odd" }];

  it("have a line for every percentile", () => {
    const head = {
      version: 1,
      generation: 7,
      percentiles: [0, 50],
      series: [{ run: "r", tag: "t", total: 9, count: 2, problems, problem_count: 1 }],
    };
    const { generation, all } = decodeBands(pack(head, [4, 5, 100, 101, 1, 2, 3, Number.NaN]));
    const got = all[0] as Bands;
    expect([[...got.step], [...got.wallTime]]).toEqual([
      [4, 5],
      [100, 101],
    ]);
    expect(got.values.map((each) => [...each])).toEqual([
      [1, 2],
      [3, Number.NaN],
    ]);
    expect([generation, all.length, got.run, got.problems, got.problemCount]).toEqual([7, 1, "r", problems, 1]);
  });

  it("come for several runs, and not for a series that is gone", () => {
    const series = ["a", "b"].map((run) => ({ run, tag: "t", total: 1, count: 1, problems: [], problem_count: 0 }));
    const head = { version: 1, generation: 1, percentiles: [50], series };
    const { all } = decodeBands(pack(head, [1, 100, 7, 2, 200, 8]));
    expect(all.map(({ run, step, values }) => [run, step[0], values[0]?.[0]])).toEqual([
      ["a", 1, 7],
      ["b", 2, 8],
    ]);
    expect(decodeBands(pack({ ...head, series: [] }, [])).all).toEqual([]);
  });
});

describe("percentiles as typed", () => {
  it("may stand in any order, with anything between", () => {
    expect(readPercentiles("99.9%, 50;0  50").values).toEqual([0, 50, 99.9]);
    expect(readPercentiles(USUAL).values).toHaveLength(9);
    for (const { text } of PRESETS) expect(readPercentiles(text).error).toBe("");
  });

  it.each(["", " , ", "50, x", "-1", "101", "NaN", Array.from({ length: 102 }, (_, i) => i / 2).join()])(
    "may be none: %s",
    (text) => {
      const got = readPercentiles(text);
      expect(got.values).toEqual([]);
      expect(got.error).not.toBe("");
    },
  );

  it("have names", () => {
    expect([0, 6.68, 50, 100].map(nameOf)).toEqual(["smallest", "6.68 %", "median", "largest"]);
  });
});

describe("bands as drawn", () => {
  const bands: Bands = {
    run: "r",
    percentiles: [0, 40, 60, 100],
    step: new Float64Array([1]),
    wallTime: new Float64Array([1]),
    problems: [],
    problemCount: 0,
    values: [1, 2, 3, 4].map((value) => new Float64Array([value])),
  };

  it("are darkest in the middle", () => {
    const areas = areasOf(bands, bands.step, "#123456");
    expect(areas.map(({ low, high }) => [low[0], high[0]])).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    const [first, middle, last] = areas.map(({ alpha }) => alpha) as [number, number, number];
    expect(middle).toBeGreaterThan(first);
    expect(first).toBeCloseTo(last);
  });

  it("have one area around the median where runs overlap, fainter with more runs", () => {
    const [few, many] = [2, 9].map((runs) => areaAround(bands, bands.step, "#123456", runs)) as [Area[], Area[]];
    expect(few.map(({ low, high }) => [low[0], high[0]])).toEqual([[1, 4]]);
    expect(many[0]?.alpha).toBeLessThan(few[0]?.alpha as number);
    expect(areaAround({ ...bands, percentiles: [50], values: [bands.step] }, bands.step, "#123456", 2)).toEqual([]);
    expect(aroundMiddle(readPercentiles(USUAL).values)).toEqual([2, 6]);
  });

  it("are placed on the axis of the cursor", () => {
    expect(
      ["step", "wall", "relative"].map(
        (axis) => xOf({ ...bands, wallTime: Float64Array.of(9) }, axis as TimeAxis, 4)[0],
      ),
    ).toEqual([1, 9, 5]);
  });

  it("have one bold line, that of what is nearest to the median", () => {
    expect(strokesOf([10, 45, 90], "#123456").map(({ widthPx }) => widthPx)).toEqual([1, 2, 1]);
    expect(strokesOf([5], "#123456").map(({ widthPx }) => widthPx)).toEqual([2]);
  });
});

describe("a zoom", () => {
  it("is written and read, along its own axis only", () => {
    expect(writeZoom({ axis: "step", x: [0, 10], y: null })).toBe("step;0,10;");
    expect(readZoom("step;0,10;-1,2.5", "step")).toEqual({ axis: "step", x: [0, 10], y: [-1, 2.5] });
    expect(readZoom("step;0,10;-1,2.5", "wall")).toEqual({ axis: "wall", x: null, y: [-1, 2.5] });
    expect(writeZoom({ axis: "wall", x: null, y: null })).toBe("");
    for (const bad of ["", "x", "step;3,1;", "step;a,b;0", "step;Infinity,2;"])
      expect(readZoom(bad, "step")).toEqual({ axis: "step", x: null, y: null });
  });
});
