import { describe, expect, it } from "vitest";
import { makeScale } from "./scale";
import { xTicks, yTicks } from "./ticks";

const labels = (ticks: { label: string }[]): string[] => ticks.map((tick) => tick.label);

describe("yTicks", () => {
  it("writes one precision per axis", () => {
    expect(labels(yTicks([0, 1], "linear", 5))).toEqual(["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    expect(labels(yTicks([-0.5, 0.5], "linear", 4))).toEqual(["−0.4", "−0.2", "0", "0.2", "0.4"]);
  });

  it("shortens large numbers and writes small ones with an exponent", () => {
    expect(labels(yTicks([0, 40_000], "linear", 4))).toEqual(["0", "10k", "20k", "30k", "40k"]);
    expect(labels(yTicks([0, 3e-5], "linear", 3))).toEqual(["0", "1e−5", "2e−5", "3e−5"]);
    expect(labels(yTicks([1e15, 3e15], "linear", 2))).toEqual(["1e15", "2e15", "3e15"]);
  });

  it("keeps neighbours distinct when the axis is far from zero", () => {
    const far = labels(yTicks([1_000_000, 1_000_004], "linear", 4));
    expect(new Set(far).size).toBe(far.length);
  });

  it("marks powers of ten, with 2 and 5 where there is room", () => {
    expect(labels(yTicks([0.001, 1000], "log", 6))).toEqual(["0.001", "0.01", "0.1", "1", "10", "100", "1000"]);
    expect(labels(yTicks([0.09, 3], "log", 5))).toEqual(["0.1", "0.2", "0.5", "1", "2"]);
    expect(labels(yTicks([1e-30, 1], "log", 5)).length).toBeLessThanOrEqual(6);
    expect(labels(yTicks([0.3, 0.4], "log", 5)).length).toBeGreaterThan(2);
  });
});

describe("symlog ticks", () => {
  it("go through zero, with powers of ten on both sides", () => {
    expect(labels(yTicks([-100, 100], "symlog", 5))).toEqual(["−100", "−10", "−1", "0", "1", "10", "100"]);
    expect(labels(yTicks([0, 1e-3], "symlog", 4))).toEqual(["0", "1e−5", "1e−4", "0.001"]);
  });

  it("keep their distance on every axis", () => {
    for (const domain of [
      [-1, 1e6],
      [-3e-9, 2e-9],
      [100, 101],
      [-2, -1],
      [0, 1],
    ] as const) {
      const ticks = yTicks(domain, "symlog", 5);
      const scale = makeScale("symlog", domain, [0, 200]);
      expect(ticks.length, String(domain)).toBeGreaterThan(2);
      expect(ticks.length, String(domain)).toBeLessThan(12);
      const px = ticks.map((tick) => scale.toPx(tick.value));
      for (let i = 1; i < px.length; i++)
        expect((px[i] as number) - (px[i - 1] as number), String(domain)).toBeGreaterThan(15);
    }
  });
});

describe("xTicks", () => {
  it("marks whole steps only", () => {
    expect(labels(xTicks([0, 2], "step", "linear", 6))).toEqual(["0", "1", "2"]);
    expect(labels(xTicks([0, 20_000], "step", "linear", 5))).toEqual(["0", "5k", "10k", "15k", "20k"]);
  });

  it("formats steps and times of a log axis", () => {
    expect(labels(xTicks([1, 10_000], "step", "log", 5))).toEqual(["1", "10", "100", "1000", "10k"]);
    expect(xTicks([0.5, 3], "step", "log", 5).every((tick) => Number.isInteger(tick.value))).toBe(true);
    expect(labels(xTicks([0.1, 1000], "relative", "log", 5))).toEqual(["0.1s", "1s", "10s", "1m 40s", "16m 40s"]);
  });

  it("marks round durations", () => {
    expect(labels(xTicks([0, 7_200], "relative", "linear", 4))).toEqual(["0", "30m", "1h", "1h 30m", "2h"]);
    expect(labels(xTicks([0, 0.4], "relative", "linear", 4))).toEqual(["0s", "0.1s", "0.2s", "0.3s", "0.4s"]);
    expect(xTicks([0, 86_400 * 400], "relative", "linear", 5).length).toBeLessThanOrEqual(7);
  });

  it("marks clock times and names the day at midnight", () => {
    const midnight = new Date(2026, 10, 15).getTime() / 1000;
    expect(labels(xTicks([midnight - 3_600, midnight + 3_600], "wall", "linear", 4))).toEqual([
      "23:00",
      "23:30",
      "15 Nov",
      "00:30",
      "01:00",
    ]);
  });
});
