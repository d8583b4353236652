import { describe, expect, it } from "vitest";
import { countBefore, firstAtOrAbove, lowerBound, statsOf, toSeries, xOf } from "./model";

describe("a line over a shared table", () => {
  const table = Float64Array.from({ length: 19 }, (_, i) => i * 10);

  it("has the x values that its mask keeps", () => {
    const series = toSeries(table, new Float32Array(4), new Uint8Array([0b10000001, 0, 0b101]));
    expect([...xOf(series)]).toEqual([0, 70, 160, 180]);
    expect(xOf(series)).toBe(xOf(series));
    expect(xOf(toSeries(table, new Float32Array(19)))).toBe(table);
  });

  it("knows whether it is sorted", () => {
    expect(toSeries(table, new Float32Array(19)).isSorted).toBe(true);
    expect(toSeries(new Float64Array([1, 1, 0]), new Float32Array(3)).isSorted).toBe(false);
    expect([-1, 0, 5, 180, 181].map((value) => lowerBound(table, value))).toEqual([0, 0, 1, 18, 19]);
  });

  it("counts its points before an x", () => {
    const masked = toSeries(table, new Float32Array(4), new Uint8Array([0b10000001, 0, 0b101]));
    expect([-1, 0, 1, 70, 71, 160, 180, 999].map((x) => firstAtOrAbove(masked, x))).toEqual([0, 0, 1, 1, 2, 2, 3, 4]);
    expect(countBefore(new Uint8Array([0xff, 0xff]), 16)).toBe(16);
  });

  it("knows its bounds and whether all its values are finite", () => {
    const odd = new Float64Array([Number.NaN, -2, 0, 0.5, 3, Number.POSITIVE_INFINITY]);
    expect(statsOf(toSeries(odd, odd))).toEqual({ low: -2, lowPositive: 0.5, high: 3, isFinite: false });
    const even = new Float64Array([1]);
    expect(statsOf(toSeries(even, even)).isFinite).toBe(true);
  });
});
