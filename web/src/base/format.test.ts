import { describe, expect, it } from "vitest";
import { formatBytes, formatDuration, formatRough, formatStep, formatTime, formatValue } from "./format";

describe("numbers beside charts", () => {
  it("writes values of every size briefly", () => {
    const written = [0.229143, 0, 1, -3.25, 0.0123456, 1.23e-5, 98.7654, 512.3456, 12345.67, 2e12].map(formatValue);
    expect(written).toEqual([
      "0.2291",
      "0.0000",
      "1.0000",
      "−3.2500",
      "0.012346",
      "1.230e−5",
      "98.7654",
      "512.35",
      "12,345.7",
      "2.000e12",
    ]);
    expect([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(formatValue)).toEqual([
      "NaN",
      "∞",
      "−∞",
    ]);
  });

  it("rounds where only the magnitude matters", () => {
    expect([25.9041, 5, 3.2634e13, -0.00012345, 3.2634e25].map(formatRough)).toEqual([
      "25.9",
      "5",
      "3.26e13",
      "−0.000123",
      "3.26e25",
    ]);
  });

  it("writes steps as integers", () => {
    expect([8412, -1, 0, 2 ** 53].map(formatStep)).toEqual(["8,412", "−1", "0", "9,007,199,254,740,992"]);
  });

  it("writes durations in two units", () => {
    expect([0.5, 42, 252, 7_500, 273_600].map(formatDuration)).toEqual([
      "0.50 s",
      "42 s",
      "4 m 12 s",
      "2 h 5 m",
      "3 d 4 h",
    ]);
  });

  it("names the day only if it is not today", () => {
    const now = new Date(2026, 10, 15, 18);
    expect(formatTime(new Date(2026, 10, 15, 9, 5, 7).getTime() / 1000, now)).toBe("09:05:07");
    expect(formatTime(new Date(2026, 10, 14, 9, 5, 7).getTime() / 1000, now)).toBe("14 Nov 09:05:07");
    expect(formatTime(new Date(2024, 0, 2, 9, 5, 7).getTime() / 1000, now)).toBe("2 Jan 2024 09:05");
  });

  it("writes sizes in bytes", () => {
    expect([0, 999, 1000, 3_100_000_000, 5e15].map(formatBytes)).toEqual([
      "0 B",
      "999 B",
      "1.0 kB",
      "3.1 GB",
      "5000.0 TB",
    ]);
  });
});
