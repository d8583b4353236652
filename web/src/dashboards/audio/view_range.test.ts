import { expect, test } from "vitest";
import { fitStretch, panStretch, zoomStretch } from "./view_range";

test("zooming keeps the place under the pointer, and all of a clip is no stretch", () => {
  expect(zoomStretch([0, 10], 2, 0.5, 10)).toEqual([1, 6]);
  expect(zoomStretch([1, 6], 2, 2, 10)).toBeNull();
  expect(zoomStretch([8, 10], 9, 2, 10)).toEqual([6, 10]);
});

test("a stretch stays inside the clip", () => {
  expect(fitStretch(null, 3)).toEqual([0, 3]);
  expect(fitStretch([4, 6], 5)).toEqual([3, 5]);
  expect(fitStretch([4, 9], 3)).toEqual([0, 3]);
  expect(panStretch([1, 2], 100, 5)).toEqual([4, 5]);
  expect(panStretch([1, 2], -100, 5)).toEqual([0, 1]);
});

test("it does not become shorter than can be drawn", () => {
  const [from, to] = zoomStretch([0, 1], 0.5, 1e-9, 1) as [number, number];
  expect(to - from).toBeCloseTo(0.001, 9);
  expect(fitStretch([0, 0], 0.0001)).toEqual([0, 0.0001]);
});
