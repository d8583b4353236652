import { describe, expect, it } from "vitest";
import {
  columnFormat,
  formatBytes,
  formatDuration,
  formatRough,
  formatScore,
  formatStep,
  formatTime,
  formatValue,
} from "./format";

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

  it("aligns the decimals of a column, and gives whole numbers none", () => {
    const column = (...values: number[]): string[] =>
      values.map(columnFormat(values)).map((text) => text.replaceAll(/[\u2007\u2008]/g, "_"));
    expect(column(3, 12_000, -4)).toEqual(["3", "12,000", "−4"]);
    expect(column(0.9, 0.95, 1)).toEqual(["0.9000", "0.9500", "1_____"]);
    expect(column(0.229143, 12.5, 0)).toEqual(["0.2291", "12.5000", "0_____"]);
    expect(column(512.3456, 1 / 3)).toEqual(["512.35", "0.33"]);
    expect(column(0.001, 0.0003)).toEqual(["0.0010", "0.0003"]);
    expect(column(0.0512345, 0.01)).toEqual(["0.05123", "0.01000"]);
    expect(column(3e-5, 1e-6)).toEqual(["3.000e−5", "1.000e−6"]);
    expect(column(6e-5, 0)).toEqual(["6.000e−5", "0"]);
    // What would be zero, or is not a number, is written on its own.
    expect(column(0.5, 1e-7, Number.NaN, Number.POSITIVE_INFINITY)).toEqual(["0.5000", "1.000e−7", "NaN", "∞"]);
    expect(column(2e12, 0.25)).toEqual(["2.000e12", "0.2500"]);
  });

  it("writes scores with fixed decimals", () => {
    expect([0.03, 1, 0.94123456, Number.NaN].map(formatScore)).toEqual(["0.0300", "1.0000", "0.9412", "NaN"]);
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
    expect([1e30, -1e30, Infinity].map(formatDuration)).toEqual(["1.157e25 d", "−1.157e25 d", "∞ d"]);
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
    expect([formatTime(1e30), formatTime(Number.NaN)]).toEqual(["1.000e30 s", "NaN s"]);
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
