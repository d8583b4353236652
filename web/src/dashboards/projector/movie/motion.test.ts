import { expect, test } from "vitest";
import { largest, positionsAt, stepMs, trailsOf } from "./motion";

// Three steps of two points in two dimensions.
const movie = {
  positions: Float32Array.of(0, 0, 10, 10, 2, 4, 10, 12, 4, 4, 11, 12),
  count: 2,
  dimensions: 2,
  rows: null,
};

test("trails begin at the first step that is there, and have three numbers for each place", () => {
  expect([...positionsAt(movie, 1)]).toEqual([2, 4, 10, 12]);
  expect(trailsOf(movie, [0], 1, { length: 6, axes: [0, 1] })).toEqual({
    length: 2,
    positions: Float32Array.of(0, 0, 0, 2, 4, 0),
  });
  expect([...trailsOf(movie, [1, 0], 2, { length: 1, axes: [0, 1] }).positions]).toEqual([
    10, 12, 0, 11, 12, 0, 2, 4, 0, 4, 4, 0,
  ]);
  expect([...trailsOf(movie, [1], 0, { length: 1, axes: [1, 0] }).positions]).toEqual([10, 10, 0]);
  // Of isolated points, positions are of some rows only.
  const isolated = { ...movie, rows: Int32Array.of(7, 9) };
  expect([...trailsOf(isolated, [9, 8], 0, { length: 3, axes: [0, 1] }).positions]).toEqual([
    10,
    10,
    0,
    Number.NaN,
    Number.NaN,
    0,
  ]);
});

test("the points that moved most, largest first", () => {
  expect(largest([1, 5, Number.NaN, 3, 5], 3)).toEqual([1, 4, 3]);
  expect(largest([1, 5, 2], 9)).toEqual([1, 2, 0]);
  expect(largest([], 3)).toEqual([]);
});

test("a movie takes some seconds, whatever its length", () => {
  expect([2, 21, 1_000].map(stepMs)).toEqual([900, 400, 120]);
});
