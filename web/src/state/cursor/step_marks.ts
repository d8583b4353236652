// Marks of one dashboard on the step axis of others. Pure.

import { trainingOfRun } from "../runs/trainings";
import type { View } from "../view/view";

/** Steps of a run that a dashboard has something about. */
export interface StepMark {
  readonly run: string;
  /** The first and the last step. */
  readonly from: number;
  readonly to: number;
  /** What is there. */
  readonly title: string;
  /** What changes in the view to show it. */
  readonly change: (options: View["options"]) => Partial<View>;
}

const ROOT = ".";
/** More would cover the axis. */
const MAX_MARKS = 300;

const trainingOf = (run: string): string => (run === ROOT ? "" : trainingOfRun(run));

const MAX_LANES = 3;

/** A mark that would cover an earlier one is drawn above it: the number of its lane, from 0. */
export function lanesOf(marks: readonly Pick<StepMark, "from" | "to">[]): readonly number[] {
  const ends: { readonly from: number; readonly to: number }[][] = [];
  return marks.map((mark) => {
    let lane = ends.findIndex((lane) => lane.every(({ from, to }) => to < mark.from || from > mark.to));
    if (lane < 0) lane = Math.min(ends.length, MAX_LANES - 1);
    (ends[lane] ??= []).push(mark);
    return lane;
  });
}

/** Those of runs of the same trainings: a training may log scalars and profiles in different folders. */
export function marksOf(marks: readonly StepMark[], runs: readonly string[]): readonly StepMark[] {
  if (marks.length === 0) return marks;
  const trainings = new Set(runs.map(trainingOf));
  return marks.filter(({ run }) => trainings.has(trainingOf(run))).slice(0, MAX_MARKS);
}
