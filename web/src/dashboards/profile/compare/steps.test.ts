import { expect, test } from "vitest";
import { callsText, stepNumbers, usualAndLongest } from "./steps";

const step = (number: number, start_ps: number, took: number) => ({ number, start_ps, end_ps: start_ps + took });

test("the longest step is compared with a usual one", () => {
  const steps = [step(10, 0, 20), step(11, 20, 22), step(12, 50, 90), step(13, 140, 21)];
  expect(usualAndLongest(steps)).toEqual({ before: 13, now: 12 });
  expect(usualAndLongest(steps.slice(0, 2))).toEqual({ before: 10, now: 11 });
});

test("steps of several workers are one by number", () => {
  const steps = [step(2, 0, 20), step(3, 20, 20), step(2, 0, 50), step(3, 50, 10)];
  expect(stepNumbers(steps)).toEqual([2, 3]);
  expect(usualAndLongest(steps)).toEqual({ before: 3, now: 2 });
});

test("one step has nothing to be compared with", () => {
  expect(usualAndLongest([])).toBeNull();
  expect(usualAndLongest([step(1, 0, 5)])).toBeNull();
});

test("calls of an average step", () => {
  expect([0, 0.25, 1 / 3, 2, 9.96, 40.2, 12_000].map(callsText)).toEqual([
    "0",
    "0.25",
    "0.33",
    "2",
    "10",
    "40",
    "12,000",
  ]);
});
