import { describe, expect, it } from "vitest";
import { covers, detailFor } from "./detail_range";

describe("detailFor", () => {
  it("requests everything without zoom", () => {
    expect(detailFor(null, 301, "linear")).toEqual({ range: null, width: 304 });
  });

  it("requests a margin on both sides, as fine as the visible part", () => {
    for (const zoom of [
      [1000, 2000],
      [0.001, 0.0017],
      [1.7e9, 1.7e9 + 60],
      [-5, 3],
    ] as const) {
      const { range, width } = detailFor(zoom, 320, "linear");
      const span = zoom[1] - zoom[0];
      expect(range?.[0]).toBeLessThanOrEqual(zoom[0] - span / 4);
      expect(range?.[1]).toBeGreaterThanOrEqual(zoom[1] + span / 4);
      const times = ((range?.[1] ?? 0) - (range?.[0] ?? 0)) / span;
      expect(times).toBeLessThanOrEqual(3.01);
      expect(width).toBeGreaterThanOrEqual(320 * times - 1);
    }
  });

  it("requests hardly more than the visible part for a crowd of lines", () => {
    const { range } = detailFor([1000, 2000], 320, "linear", true);
    expect(range?.[0]).toBeLessThanOrEqual(1000);
    expect(range?.[1]).toBeGreaterThanOrEqual(2000);
    expect((range?.[1] ?? 0) - (range?.[0] ?? 0)).toBeLessThan(2 * 1000);
    expect(detailFor([1000, 2000], 320, "linear").range?.[0]).toBeLessThan(range?.[0] ?? 0);
  });

  it("requests the same after a small move", () => {
    expect(detailFor([1010, 2010], 320, "linear").range).toEqual(detailFor([1020, 2020], 320, "linear").range);
  });

  it("widens in decades on a log axis and through zero on a symlog one", () => {
    const { range } = detailFor([10, 1000], 320, "log");
    expect(range?.[0]).toBeGreaterThan(0);
    expect(range?.[0]).toBeLessThan(5);
    expect(range?.[1]).toBeGreaterThan(2000);
    expect(detailFor([0, 10], 320, "log").range).toEqual(detailFor([0, 10], 320, "linear").range);
    const around = detailFor([-10, 10], 320, "symlog").range;
    expect(around?.[0]).toBeCloseTo(-(around?.[1] ?? 0));
  });

  it("does not widen beyond float precision", () => {
    const tight = [1.7e9, 1.7e9 + 2.4e-7] as const;
    expect(detailFor(tight, 320, "linear").range?.[0]).toBeLessThanOrEqual(tight[0]);
  });
});

describe("covers", () => {
  it("compares ranges, null being everything", () => {
    expect([
      covers(null, null),
      covers(null, [0, 1]),
      covers([0, 1], null),
      covers([0, 2], [0, 1]),
      covers([0, 2], [1, 3]),
    ]).toEqual([true, true, false, true, false]);
  });
});
