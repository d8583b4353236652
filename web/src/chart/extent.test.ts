import { describe, expect, it } from "vitest";
import {
  countUnshown,
  innerExtent,
  select,
  usableRange,
  withoutOutliers,
  xDomain,
  xExtent,
  yDomain,
  yExtent,
} from "./extent";
import { toSeries } from "./model";
import { makeScale } from "./axes/scale";
import { yTicks } from "./axes/ticks";

const line = (x: number[], y: number[]) => toSeries(new Float64Array(x), new Float64Array(y));

describe("extents", () => {
  it("use only values that can be drawn", () => {
    const lines = [line([0, 1, 2, 3], [5, Number.NaN, Number.POSITIVE_INFINITY, -2]), line([], [])];
    expect(xExtent(lines, "linear")).toEqual([0, 3]);
    expect(yExtent(lines, [], [0, 3], "linear")).toEqual([-2, 5]);
    expect(yExtent(lines, [], [0, 3], "log")).toEqual([5, 5]);
    expect(yExtent(lines, [], [1, 2], "linear")).toBeNull();
    expect(xExtent([line([], [])], "linear")).toBeNull();
  });

  it("use all of a line whose x goes back", () => {
    const back = [line([0, 5, 2, 3], [1, 9, 2, 3])];
    expect(xExtent(back, "linear")).toEqual([0, 5]);
    expect(yExtent(back, [], [2, 3], "linear")).toEqual([2, 3]);
  });

  it("leave out values that a log axis cannot show, in x too", () => {
    const lines = [line([0, 1, 10], [0, -3, 7]), line([-5, 0], [1, 2])];
    expect(xExtent(lines, "log")).toEqual([1, 10]);
    expect(yExtent(lines, [], [-5, 10], "log")).toEqual([1, 7]);
    expect(countUnshown(lines, "linear", "log")).toBe(1);
    expect(countUnshown(lines, "log", "linear")).toBe(2);
    expect(countUnshown(lines, "linear", "symlog")).toBe(0);
  });

  it("use masked lines and bands only between the two x", () => {
    const table = Float64Array.from({ length: 10 }, (_, i) => i);
    const odd = toSeries(table, new Float64Array([1, 3, 5, 7, 9]), new Uint8Array([0b10101010, 0b10]));
    expect(yExtent([odd], [], [2, 7], "linear")).toEqual([3, 7]);
    const band = { table, low: table.map((x) => -x), high: table, color: "red", alpha: 1, axis: "left" as const };
    expect(yExtent([odd], [band], [2, 7], "linear")).toEqual([-7, 7]);
  });
});

describe("select", () => {
  it("finds the same value as sorting", () => {
    const values = Float64Array.from({ length: 101 }, (_, i) => Math.floor(Math.abs(Math.sin(i * 7.3)) * 50));
    const sorted = values.slice().sort();
    for (const k of [0, 5, 50, 95, 100]) expect(select(values.slice(), k, 0, 100)).toBe(sorted[k]);
    expect(select(new Float64Array([2, 2, 2]), 1, 0, 2)).toBe(2);
  });
});

describe("innerExtent", () => {
  const steps = Array.from({ length: 101 }, (_, i) => i);
  const ramp = line(steps, steps);

  it("spans from the 5th to the 95th percentile, at the indices that TensorBoard uses", () => {
    expect(innerExtent([ramp], [0, 100])).toEqual([5, 95]);
    expect(innerExtent([line(steps.slice(0, 12), steps.slice(0, 12))], [0, 100])).toEqual([1, 10]);
  });

  it("uses visible finite values, and needs more than a few", () => {
    expect(innerExtent([ramp], [0, 20])).toEqual([1, 19]);
    expect(innerExtent([ramp], [3, 9])).toBeNull();
    expect(innerExtent([ramp], [3, 10])).toEqual([4, 9]);
    expect(innerExtent([line([0, 1, 2, 3], [1, Number.NaN, 2, Number.POSITIVE_INFINITY])], [0, 9])).toBeNull();
  });

  it("leaves out a run that diverges", () => {
    expect(innerExtent([ramp, line([0, 1, 2, 3], [2, 3, 900, 3e13])], [0, 100])?.[1]).toBeLessThan(110);
  });

  it("keeps a run that is always far from the others", () => {
    expect(innerExtent([ramp, line([0, 1, 2], [1300, 1310, 1290])], [0, 100])?.[1]).toBe(1300);
  });
});

describe("withoutOutliers", () => {
  it("cuts only what would flatten the rest", () => {
    expect(withoutOutliers([0, 1000], [0, 100])).toEqual([0, 105]);
    expect(withoutOutliers([-900, 1000], [0, 100])).toEqual([-5, 105]);
    expect(withoutOutliers([0, 190], [10, 110])).toEqual([0, 190]);
    // All one value but for a few: there is nothing to look at without these.
    expect(withoutOutliers([1, 5], [1, 1])).toEqual([1, 5]);
  });
});

describe("domains", () => {
  it("end on round numbers and never collapse", () => {
    expect(yDomain([0.07, 0.93], "linear")).toEqual([0, 1]);
    for (const value of [0, 1, -3, 1e-300, 5e-324, 2 ** 53, 7e307]) {
      const [low, high] = yDomain([value, value], "linear");
      // Nothing that is logged as zero has room below it.
      if (value === 0) expect(low).toBe(0);
      else expect(low).toBeLessThan(value);
      expect(high).toBeGreaterThan(value);
      const x = xDomain([value, value], "linear");
      expect(x[0]).toBeLessThan(x[1]);
    }
    for (const scale of ["linear", "log", "symlog"] as const) {
      for (const extent of [
        [-Number.MAX_VALUE, Number.MAX_VALUE],
        [5e-324, 1e-323],
        [5e-324, Number.MAX_VALUE],
        [1, 1 + 2 ** -52],
      ] as const) {
        if (scale === "log" && extent[0] < 0) continue;
        const domain = yDomain(extent, scale);
        expect(domain[1] - domain[0], `${scale} ${extent}`).toBeGreaterThan(0);
        const marks = yTicks(domain, scale, 4);
        expect(marks.length, `${scale} ${extent}`).toBeLessThan(20);
        expect(marks.map((mark) => mark.label).join()).not.toContain("NaN");
      }
    }
    expect(yDomain(null, "log")).toEqual([0.1, 1]);
  });

  it("are round and close to the data", () => {
    expect(yDomain([0, 7], "linear")).toEqual([0, 7.5]);
    expect(yDomain([0, 1], "linear")).toEqual([0, 1.05]);
    expect(yDomain([0.02, 0.98], "linear")).toEqual([0, 1]);
    expect(yDomain([0.3, 3.1e-1], "linear")).toEqual([0.2995, 0.3105]);
    expect(yDomain([-2, 2], "linear")).toEqual([-2.25, 2.25]);
    expect(yDomain([0, 3e-4], "linear")).toEqual([0, 3.25e-4]);
    expect(yDomain([120, 9_400], "linear")).toEqual([0, 10_000]);
    expect(yDomain([1_000_000, 1_000_001], "linear")).toEqual([999_999.95, 1_000_001.05]);
  });

  it("leave at most 8 % empty at either end, and nothing beyond zero", () => {
    for (const scale of ["linear", "symlog"] as const) {
      for (let i = 1; i < 400; i++) {
        const low = Math.sin(i) * 10 ** ((i % 13) - 6);
        const high = low + Math.abs(Math.cos(i * 7)) * 10 ** ((i % 7) - 5) + 1e-9;
        if (scale === "symlog" && high - low < 1e-6 * Math.abs(low)) continue;
        const [from, to] = yDomain([low, high], scale);
        const { toPx } = makeScale(scale, [from, to], [0, 1]);
        const what = `${scale} ${low} … ${high}: ${from} … ${to}`;
        expect(from, what).toBeLessThanOrEqual(low);
        expect(to, what).toBeGreaterThanOrEqual(high);
        expect(toPx(low), what).toBeLessThanOrEqual(0.08);
        expect(toPx(high), what).toBeGreaterThanOrEqual(0.92);
        if (low >= 0) expect(from, what).toBeGreaterThanOrEqual(0);
        if (high <= 0) expect(to, what).toBeLessThanOrEqual(0);
      }
    }
    expect(yDomain([0, 0], "linear")[0]).toBe(0);
    expect(yDomain([1e-3, 100], "symlog")[0]).toBeGreaterThanOrEqual(0);
  });

  it("use typed limits as far as the scale can show them", () => {
    const automatic = [2, 50] as const;
    expect(usableRange(null, automatic, "linear")).toBe(automatic);
    expect(usableRange([7, -3], automatic, "linear")).toEqual([-3, 7]);
    expect(usableRange([0, 100], automatic, "log")).toEqual([2, 100]);
    expect(usableRange([-5, 0], automatic, "log")).toBe(automatic);
    expect(usableRange([4, 4], automatic, "linear")).toBe(automatic);
    expect(usableRange([Number.NaN, 4], automatic, "linear")).toBe(automatic);
  });
});
