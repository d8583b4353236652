import { expect, test } from "vitest";
import { axisOf, axisTop, formatCounter } from "./counter_format";
import { sampleCounter } from "./sample_trace";

test("the axis ends at a round number at or above the highest value", () => {
  expect(formatCounter(axisTop(3.4 * 2 ** 30, "bytes"), "bytes")).toBe("4 GiB");
  expect(axisTop(97, "%")).toBe(100);
  expect(axisTop(0, "")).toBe(1);
  for (const max of [1, 7, 1023, 1025, 5e9]) expect(axisTop(max, "bytes")).toBeGreaterThanOrEqual(max);
  const counters = [sampleCounter(0, 0, "a", { max: 10 }), sampleCounter(1, 0, "b", { min: -3, max: 20 })];
  expect(axisOf(counters)).toMatchObject({ low: -3, high: 20 });
});

test("values have three digits and a unit", () => {
  expect(formatCounter(12.4 * 2 ** 30, "bytes")).toBe("12.4 GiB");
  expect(formatCounter(97.53, "%")).toBe("97.5 %");
  expect(formatCounter(0, "bytes")).toBe("0");
});
