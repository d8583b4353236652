import { describe, expect, it } from "vitest";
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

  it("keeps neighbours apart when the axis is far from zero", () => {
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

describe("xTicks", () => {
  it("marks whole steps only", () => {
    expect(labels(xTicks([0, 2], "step", 6))).toEqual(["0", "1", "2"]);
    expect(labels(xTicks([0, 20_000], "step", 5))).toEqual(["0", "5k", "10k", "15k", "20k"]);
  });

  it("marks round durations", () => {
    expect(labels(xTicks([0, 7_200], "relative", 4))).toEqual(["0", "30m", "1h", "1h 30m", "2h"]);
    expect(labels(xTicks([0, 0.4], "relative", 4))).toEqual(["0s", "0.1s", "0.2s", "0.3s", "0.4s"]);
    expect(xTicks([0, 86_400 * 400], "relative", 5).length).toBeLessThanOrEqual(7);
  });

  it("marks clock times and names the day at midnight", () => {
    const midnight = new Date(2026, 10, 15).getTime() / 1000;
    expect(labels(xTicks([midnight - 3_600, midnight + 3_600], "wall", 4))).toEqual(["23:00", "23:30", "15 Nov", "00:30", "01:00"]);
  });
});
