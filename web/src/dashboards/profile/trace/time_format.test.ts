import { describe, expect, test } from "vitest";
import { formatTime, tickFormat, tickStep } from "./time_format";

describe("formatTime", () => {
  test.each([
    [0, "0 ps"],
    [999, "999 ps"],
    [1_500, "1.5 ns"],
    [920_000_000, "920 µs"],
    [27_200_000_000, "27.2 ms"],
    [1.836e12, "1.836 s"],
    [90e12, "1.5 min"],
    [-2e9, "−2 ms"],
  ])("%d ps", (ps, text) => expect(formatTime(ps)).toBe(text));

  test("of an axis of bytes", () => {
    expect(formatTime(3 * 2 ** 30, "bytes")).toBe("3 GiB");
    expect(formatTime(512, "bytes")).toBe("512 B");
  });
});

test("ticks are round and few", () => {
  expect(tickStep(27e9, 13)).toBe(5e9);
  expect(tickStep(100, 1_000)).toBe(1);
  for (const length of [1e3, 3.3e7, 6.4e13]) expect(length / tickStep(length, 12)).toBeLessThanOrEqual(12.001);
});

test("texts of ticks share a unit and tell neighbours apart", () => {
  const format = tickFormat(2e9, 24e9);
  expect([-2e9, 0, 4e9].map(format)).toEqual(["−2 ms", "0 ms", "4 ms"]);
  const fine = tickFormat(50_000, 1.2e9);
  expect(fine(1.2e9)).not.toBe(fine(1.2e9 + 50_000));
});
