import { expect, test } from "vitest";
import { fitRange, panRange, zoomRange } from "./view_range";

test("zooming keeps the place under the pointer, and the whole clip is null", () => {
  expect(zoomRange([0, 10], 2, 0.5, 10)).toEqual([1, 6]);
  expect(zoomRange([1, 6], 2, 2, 10)).toBeNull();
  expect(zoomRange([8, 10], 9, 2, 10)).toEqual([6, 10]);
});

test("a range stays inside the clip", () => {
  expect(fitRange(null, 3)).toEqual([0, 3]);
  expect(fitRange([4, 6], 5)).toEqual([3, 5]);
  expect(fitRange([4, 9], 3)).toEqual([0, 3]);
  expect(panRange([1, 2], 100, 5)).toEqual([4, 5]);
  expect(panRange([1, 2], -100, 5)).toEqual([0, 1]);
});

test("it does not become shorter than can be drawn", () => {
  const [from, to] = zoomRange([0, 1], 0.5, 1e-9, 1) as [number, number];
  expect(to - from).toBeCloseTo(0.001, 9);
  expect(fitRange([0, 0], 0.0001)).toEqual([0, 0.0001]);
});
