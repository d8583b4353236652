import { describe, expect, it } from "vitest";
import { differenceOfMeans, meanInterval, meanOf, rankCorrelation, studentFactor } from "./statistics";

describe("means", () => {
  it("leave out what is no value", () => {
    expect(meanOf([1, Number.NaN, 3])).toEqual({ n: 2, mean: 2, sd: Math.SQRT2 });
    expect(meanOf([7])).toEqual({ n: 1, mean: 7, sd: Number.NaN });
    expect(meanOf([])).toEqual({ n: 0, mean: Number.NaN, sd: Number.NaN });
  });

  it("keep their digits when values are large and close together", () => {
    expect(meanOf([1e9 + 1, 1e9 + 2, 1e9 + 3]).sd).toBeCloseTo(1, 12);
  });

  it("have the interval of Student's distribution", () => {
    const { value, low, high } = meanInterval(meanOf([1, 2, 3, 4, 5]));
    expect([value, low, high].map((each) => Number(each.toFixed(2)))).toEqual([3, 1.04, 4.96]);
    expect(meanInterval(meanOf([4]))).toEqual({ value: 4, low: Number.NaN, high: Number.NaN });
  });
});

describe("Student's factor", () => {
  it.each([
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [4, 2.776],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [1000, 1.962],
  ])("for %d degrees of freedom", (df, expected) => {
    expect(Math.abs(studentFactor(df) - expected)).toBeLessThan(0.004);
  });

  it("falls all the way", () => {
    const factors = Array.from({ length: 60 }, (_, i) => studentFactor(1 + i / 8));
    expect(factors).toEqual([...factors].sort((a, b) => b - a));
  });
});

describe("differences of means", () => {
  it("allow for groups that vary by different amounts", () => {
    // By hand: variances of the means 0.4167 and 33.33, so 2.05 degrees of freedom, factor 4.21, and ± 24.5.
    const { value, low, high } = differenceOfMeans(meanOf([1, 2, 3, 4]), meanOf([10, 20, 30]));
    expect(value).toBe(-17.5);
    expect([low, high].map(Math.round)).toEqual([-42, 7]);
  });

  it("are certain where nothing varies", () => {
    expect(differenceOfMeans(meanOf([2, 2]), meanOf([1, 1, 1]))).toEqual({ value: 1, low: 1, high: 1 });
  });

  it("have no interval with a single value", () => {
    const { value, low } = differenceOfMeans(meanOf([2]), meanOf([1, 1.5]));
    expect([value, low]).toEqual([0.75, Number.NaN]);
  });
});

describe("rank correlation", () => {
  const up = Float64Array.of(1, 2, 3, 4, 5);
  it("sees order and not distance", () => {
    expect(rankCorrelation(up, Float64Array.of(1, 10, 100, 1e4, 1e9))).toEqual({ value: 1, n: 5 });
    expect(rankCorrelation(up, Float64Array.of(9, 7, 5, 3, 1)).value).toBe(-1);
  });

  it("takes part of rows with both values alone", () => {
    const got = rankCorrelation(up, Float64Array.of(1, Number.NaN, 3, 2, 0), Uint8Array.of(1, 1, 1, 1, 0));
    expect(got).toEqual({ value: 0.5, n: 3 });
    expect(rankCorrelation(up, up, Uint8Array.of(1, 1, 0, 0, 0))).toEqual({ value: Number.NaN, n: 2 });
  });
});
