import { expect, test } from "vitest";
import { nearestIndex } from "./nearest_index";

test("finds the nearest step", () => {
  const steps = [0, 10, 20, 100];
  expect([null, -5, 0, 5, 6, 15, 99, 1000].map((step) => nearestIndex(steps, step))).toEqual([3, 0, 0, 0, 1, 1, 3, 3]);
  expect(nearestIndex([], 4)).toBe(-1);
});
