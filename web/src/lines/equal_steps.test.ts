import { expect, it } from "vitest";
import { toSeries } from "../chart/model";
import { levelEqualSteps } from "./equal_steps";

const level = (x: number[], y: number[], mask: Uint8Array | null = null): number[] => [
  ...levelEqualSteps(toSeries(new Float64Array(x), new Float64Array(y), mask)).y,
];

it("gives all points of a step the value that the step ends with", () => {
  expect(level([0, 1, 2, 2], [4, 3, 2, 1])).toEqual([4, 3, 1, 1]);
  expect(level([0, 0, 0, 1], [4, 3, 2, 1])).toEqual([2, 2, 2, 1]);
});

it("leaves lines without such steps as they are", () => {
  const series = toSeries(new Float64Array([0, 1, 2]), new Float64Array([3, 2, 1]), null);
  expect(levelEqualSteps(series)).toBe(series);
});

it("leaves what is not finite where it is", () => {
  expect(level([0, 1, 1], [1, 2, Number.NaN])).toEqual([1, 2, Number.NaN]);
  expect(level([0, 1, 1], [1, Number.NaN, 2])).toEqual([1, Number.NaN, 2]);
});

it("looks only at the entries of a shared table that belong to the line", () => {
  // Entries 0, 2 and 3; then 0, 1 and 2.
  expect(level([0, 1, 2, 2], [3, 2, 1], new Uint8Array([0b1101]))).toEqual([3, 1, 1]);
  expect(level([0, 1, 2, 2], [3, 2, 1], new Uint8Array([0b0111]))).toEqual([3, 2, 1]);
});
