import { expect, test } from "vitest";
import type { Step } from "../answer";
import { stepAt, stepSpan } from "./steps";

const step = (number: number, start_ps: number, end_ps: number, host = ""): Step => ({
  number,
  name: `Step ${number}`,
  start_ps,
  end_ps,
  host,
});
const STEPS = [step(10, 0, 100), step(10, 20, 140, "b"), step(11, 200, 300)];

test("a step is shown with its neighbours' edges, on all hosts", () => {
  expect(stepSpan(STEPS, 10)).toEqual({ from: -11, to: 151 });
  // The nearest that there is.
  expect(stepSpan(STEPS, 5_000)).toEqual({ from: 192, to: 308 });
  expect(stepSpan([], 1)).toBeNull();
});

test("a moment between steps belongs to the next one", () => {
  expect([-5, 0, 50, 150, 200, 250, 300, 900].map((ps) => stepAt(STEPS, ps)?.number)).toEqual([
    10, 10, 10, 11, 11, 11, 11, 11,
  ]);
  expect(stepAt([], 3)).toBeNull();
});
