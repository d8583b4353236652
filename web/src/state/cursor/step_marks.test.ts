import { expect, test } from "vitest";
import { lanesOf, marksOf, type StepMark } from "./step_marks";

const mark = (run: string): StepMark => ({ run, from: 0, to: 1, title: run, change: () => ({}) });

test("a mark belongs to all runs of its training", () => {
  const marks = [mark("a"), mark("b/train"), mark(".")];
  const of = (...runs: string[]): string[] => marksOf(marks, runs).map(({ run }) => run);
  // Keras logs scalars in a/train and profiles in a.
  expect(of("a/train")).toEqual(["a"]);
  expect(of("b")).toEqual(["b/train"]);
  expect(of("train")).toEqual(["."]);
  expect(of("c")).toEqual([]);
});

test("marks that would cover each other lie above each other", () => {
  const spans = [
    { from: 5, to: 9 },
    { from: 5, to: 9 },
    { from: 10, to: 12 },
    { from: 9, to: 10 },
    { from: 5, to: 12 },
  ];
  // The last lane takes what is left.
  expect(lanesOf(spans)).toEqual([0, 1, 0, 2, 2]);
});
