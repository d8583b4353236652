import { describe, expect, it } from "vitest";
import { toSeries } from "../chart/model";
import type { CardLine } from "./card_model";
import { findSmear } from "./smear";

/** A noisy descent, the same every time. */
const noisy = (points: number): number[] =>
  Array.from({ length: points }, (_, i) => 1 / (1 + i / 20) + 0.02 * Math.sin(i * 12.9898) * Math.cos(i * 78.233));

const raw = (values: readonly number[], role: CardLine["role"] = "raw"): CardLine => ({
  run: "a",
  tag: "loss",
  role,
  generation: 1,
  total: values.length,
  series: toSeries(
    Float64Array.from(values, (_, i) => i * 10),
    Float64Array.from(values),
  ),
});
const withSpike = (value: number, at = 60): number[] => noisy(120).with(at, value);
const EMA = { kind: "ema", amount: 0.9 } as const;

describe("findSmear", () => {
  it("names the outlier and how far it reaches", () => {
    const notice = findSmear([raw(withSpike(30))], EMA, "step");
    expect(notice?.text).toBe("outlier @ 600");
    expect(notice?.detail).toMatch(/^a: one value of 30\.0000 bends the smoothed line over about \d\d points\./);
  });

  it("names the outlier of every run, the first of them on the badge", () => {
    const other = { ...raw(withSpike(300, 90)), run: "b" };
    const notice = findSmear([other, raw(noisy(120)), raw(withSpike(30))], EMA, "step");
    expect(notice?.text).toBe("outlier @ 600");
    expect(notice?.detail.split("\n").map((line) => line.slice(0, 12))).toEqual([
      "a: one value",
      "b: one value",
      "Click for th",
    ]);
  });

  it("says nothing of ordinary noise, of a step or of a steep beginning", () => {
    expect(findSmear([raw(noisy(120))], EMA, "step")).toBeNull();
    expect(findSmear([raw(noisy(120).map((y, i) => (i < 60 ? y : y + 5)))], EMA, "step")).toBeNull();
    expect(findSmear([raw(noisy(120).with(0, 50))], EMA, "step")).toBeNull();
  });

  it("says nothing where the outlier is not smeared: little smoothing, the median, none", () => {
    const lines = [raw(withSpike(30))];
    expect(findSmear(lines, { kind: "ema", amount: 0.1 }, "step")).toBeNull();
    expect(findSmear(lines, { kind: "median", amount: 9 }, "step")).toBeNull();
    expect(findSmear(lines, { kind: "ema", amount: 0 }, "step")).toBeNull();
    expect(findSmear([raw(withSpike(30), "smoothed")], EMA, "step")).toBeNull();
  });

  it("knows the other averages", () => {
    const lines = [raw(withSpike(30))];
    expect(findSmear(lines, { kind: "gaussian", amount: 8 }, "step")).not.toBeNull();
    expect(findSmear(lines, { kind: "time_ema", amount: 100 }, "step")).not.toBeNull();
    expect(findSmear(lines, { kind: "time_ema", amount: 1 }, "step")).toBeNull();
  });

  it("is not confused by NaN and infinities", () => {
    expect(
      findSmear([raw(noisy(120).with(30, Number.NaN).with(50, Number.POSITIVE_INFINITY))], EMA, "step"),
    ).toBeNull();
    expect(findSmear([raw(withSpike(30).with(30, Number.NaN))], EMA, "step")?.text).toBe("outlier @ 600");
  });
});
