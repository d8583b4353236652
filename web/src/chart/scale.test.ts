import { describe, expect, it } from "vitest";
import { toSeries } from "./model";
import { yTicks } from "./ticks";
import { fence, linearScale, logScale, xDomain, xExtent, yDomain, yExtent } from "./scale";

const line = (x: number[], y: number[]) => toSeries(new Float64Array(x), new Float64Array(y));

describe("scales", () => {
  it("go to pixels and back", () => {
    const linear = linearScale([10, 20], [100, 0]);
    expect(linear.toPx(15)).toBe(50);
    expect(linear.toValue(25)).toBe(17.5);
    const log = logScale([0.01, 100], [0, 400]);
    expect(log.toPx(1)).toBeCloseTo(200);
    expect(log.toValue(300)).toBeCloseTo(10);
  });
});

describe("extents", () => {
  it("look only at what can be drawn", () => {
    const lines = [line([0, 1, 2, 3], [5, Number.NaN, Number.POSITIVE_INFINITY, -2]), line([], [])];
    expect(xExtent(lines)).toEqual([0, 3]);
    expect(yExtent(lines, [0, 3], "linear")).toEqual([-2, 5]);
    expect(yExtent(lines, [0, 3], "log")).toEqual([5, 5]);
    expect(yExtent(lines, [1, 2], "linear")).toBeNull();
    expect(xExtent([line([], [])])).toBeNull();
  });

  it("see all of a line whose x goes back", () => {
    const back = [line([0, 5, 2, 3], [1, 9, 2, 3])];
    expect(xExtent(back)).toEqual([0, 5]);
    expect(yExtent(back, [2, 3], "linear")).toEqual([2, 3]);
  });
});

describe("fence", () => {
  const steps = Array.from({ length: 200 }, (_, i) => i);
  const falling = line(steps, steps.map((i) => 2.5 * Math.exp(-i / 30) + 0.1));
  const fenced = (...lines: (typeof falling)[]) => fence(lines, [0, 199], yExtent(lines, [0, 199], "linear") ?? [0, 0]);

  it("keeps a curve that starts high", () => {
    expect(fenced(falling)).toEqual(yExtent([falling], [0, 199], "linear"));
  });

  it("leaves out a run that diverges", () => {
    const [low, high] = fenced(falling, line([0, 1, 2, 3], [2, 3, 900, 3e13]));
    expect(low).toBeCloseTo(0.1, 1);
    expect(high).toBeGreaterThan(2.5);
    expect(high).toBeLessThan(10);
  });

  it("keeps a run that lies far from the others all along", () => {
    const far = line([0, 1, 2], [1300, 1310, 1290]);
    expect(fenced(falling, far)[1]).toBeGreaterThanOrEqual(1300);
  });

  it("does not fence what is all one value but for a few", () => {
    expect(fenced(line(steps, steps.map((i) => (i === 100 ? 5 : 1))))).toEqual([1, 5]);
  });
});

describe("domains", () => {
  it("end on round numbers and never collapse", () => {
    expect(yDomain([0.07, 0.93], "linear", 5)).toEqual([0, 1]);
    for (const value of [0, 1, -3, 1e-300, 5e-324, 2 ** 53, 7e307]) {
      const [low, high] = yDomain([value, value], "linear", 5);
      expect(low).toBeLessThan(value);
      expect(high).toBeGreaterThan(value);
      const x = xDomain([value, value]);
      expect(x[0]).toBeLessThan(x[1]);
    }
    for (const scale of ["linear", "log"] as const) {
      for (const extent of [[-Number.MAX_VALUE, Number.MAX_VALUE], [5e-324, 1e-323], [5e-324, Number.MAX_VALUE], [1, 1 + 2 ** -52]] as const) {
        if (scale === "log" && extent[0] < 0) continue;
        const domain = yDomain(extent, scale, 4);
        expect(domain[1] - domain[0], `${scale} ${extent}`).toBeGreaterThan(0);
        const marks = yTicks(domain, scale, 4);
        expect(marks.length, `${scale} ${extent}`).toBeLessThan(20);
        expect(marks.map((mark) => mark.label).join()).not.toContain("NaN");
      }
    }
    expect(yDomain(null, "log", 5)).toEqual([0.1, 1]);
  });
});
