import { describe, expect, it } from "vitest";
import { formatDuration, formatTime } from "./format";
import { parseDuration, parseStep, parseTime } from "./time_input";

describe("typed positions", () => {
  it("reads durations in the ways that people write them", () => {
    const read = ["3 m 20 s", "3m20s", "1 h 30 min", "1:02:03", "3:20", "200", "2.5 h", "−10 s", "1 d"].map(
      parseDuration,
    );
    expect(read).toEqual([200, 200, 5400, 3723, 200, 200, 9000, -10, 86_400]);
    expect(["", "soon", "3 m soon", "3 months", "1:2:3:4"].map(parseDuration)).toEqual([null, null, null, null, null]);
  });

  it("reads the durations that the page writes", () => {
    for (const seconds of [0.5, 12, 200, 7_260, 3 * 86_400 + 7_200])
      expect(parseDuration(formatDuration(seconds))).toBeCloseTo(seconds, 1);
  });

  it("reads times of the day that is shown", () => {
    const near = new Date(2026, 10, 16, 1, 2, 3).getTime() / 1000;
    const at = (...parts: [number, number, number, number, number, number]): number =>
      new Date(...parts).getTime() / 1000;
    expect(parseTime("03:48:44", near)).toBe(at(2026, 10, 16, 3, 48, 44));
    expect(parseTime("3:48", near)).toBe(at(2026, 10, 16, 3, 48, 0));
    expect(parseTime("15 Nov 03:48:44", near)).toBe(at(2026, 10, 15, 3, 48, 44));
    expect(parseTime("2025-01-02 03:04:05", near)).toBe(at(2025, 0, 2, 3, 4, 5));
    expect(["", "soon", "12", "99 Nov"].map((text) => parseTime(text, near))).toEqual([null, null, null, null]);
  });

  it("reads the times that the page writes", () => {
    const now = new Date(2026, 10, 16, 12);
    for (const date of [
      new Date(2026, 10, 16, 3, 48, 44),
      new Date(2026, 8, 2, 23, 59, 1),
      new Date(2024, 0, 2, 3, 4),
    ]) {
      const time = date.getTime() / 1000;
      expect(parseTime(formatTime(time, now), now.getTime() / 1000)).toBe(time);
    }
  });

  it("reads steps with separators and units", () => {
    expect(["6,400", "6.4k", "1.2M", "-3", "−3", " 12 "].map(parseStep)).toEqual([6400, 6400, 1_200_000, -3, -3, 12]);
    expect(["", "k", "six", "1:02"].map(parseStep)).toEqual([null, null, null, null]);
  });
});
