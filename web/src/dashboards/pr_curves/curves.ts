// Decodes curves from the server and turns them into the lines of a view. Pure.

import { Blocks } from "../../api/blocks";
import type { CurveScores } from "../../api/types";
import { type Series, toSeries } from "../../chart/model";

/** In the order of the response. */
const COLUMNS = ["threshold", "tp", "fp", "tn", "fn", "precision", "recall", "tpr", "fpr", "f1"] as const;
export type CurveColumn = (typeof COLUMNS)[number];

export interface Curve {
  readonly run: string;
  readonly tag: string;
  readonly row: number;
  readonly step: number;
  /** Problems in the logged data. */
  readonly problems: readonly string[];
  readonly scores: CurveScores;
  /** One number per threshold; empty if the logged data is not a curve. */
  readonly columns: Readonly<Record<CurveColumn, Float64Array>>;
}

interface Head {
  readonly version: number;
  readonly curves: readonly (Omit<Curve, "columns"> & { readonly count: number })[];
}

export function decodeCurves(body: ArrayBuffer): Curve[] {
  const blocks = new Blocks<Head>(body);
  return blocks.head.curves.map(({ run, tag, row, step, problems, scores, count }) => {
    const columns = Object.fromEntries(COLUMNS.map((name) => [name, blocks.float64(count, `${name} of ${run}`)]));
    return { run, tag, row, step, problems, scores, columns: columns as Record<CurveColumn, Float64Array> };
  });
}

export type CurveView = "pr" | "roc" | "f1" | "precision" | "recall";

export interface ViewInfo {
  readonly value: CurveView;
  readonly label: string;
  readonly hint: string;
  /** Describes the axes in words. */
  readonly axes: string;
  readonly x: CurveColumn;
  readonly y: CurveColumn;
  /** The one number that sums up each curve. */
  readonly score: {
    readonly label: string;
    readonly hint: string;
    readonly of: (scores: CurveScores) => CurveScores["auc"];
  };
}

const AP = {
  label: "AP",
  hint: "Average precision: the area under the stepped curve",
  of: (scores: CurveScores) => scores.average_precision,
};

export const VIEWS: readonly ViewInfo[] = [
  {
    value: "pr",
    label: "PR",
    hint: "Precision over recall",
    axes: "precision over recall",
    x: "recall",
    y: "precision",
    score: AP,
  },
  {
    value: "roc",
    label: "ROC",
    hint: "True positive rate over false positive rate, from the same counts",
    axes: "TPR over FPR",
    x: "fpr",
    y: "tpr",
    score: { label: "AUC", hint: "Area under the ROC curve", of: (scores) => scores.auc },
  },
  {
    value: "f1",
    label: "F1",
    hint: "F1 over threshold, from the same counts",
    axes: "F1 over threshold",
    x: "threshold",
    y: "f1",
    score: { label: "best F1", hint: "The highest F1 over all thresholds", of: (scores) => scores.best_f1 },
  },
  {
    value: "precision",
    label: "Precision",
    hint: "Precision over threshold",
    axes: "precision over threshold",
    x: "threshold",
    y: "precision",
    score: AP,
  },
  {
    value: "recall",
    label: "Recall",
    hint: "Recall over threshold",
    axes: "recall over threshold",
    x: "threshold",
    y: "recall",
    score: AP,
  },
];

export const viewInfo = (name: string): ViewInfo => VIEWS.find((each) => each.value === name) ?? (VIEWS[0] as ViewInfo);

export interface CurveLine {
  readonly series: Series;
  /** The threshold index of each point. */
  readonly order: Int32Array;
}

/** Points from left to right. Null: there is nothing to draw. */
export function lineOf({ columns }: Curve, { x, y }: ViewInfo): CurveLine | null {
  // Recall is undefined without positives, but writers log zero.
  if ((x === "recall" || y === "recall") && (columns.tp[0] as number) + (columns.fn[0] as number) === 0) return null;
  const count = y === "precision" ? predictedCount(columns) : columns[x].length;
  const order = Int32Array.from({ length: count }, (_, i) => i);
  // Rates decrease as the threshold rises.
  if (x !== "threshold") order.reverse();
  const xs = Float64Array.from(order, (i) => columns[x][i] as number);
  const ys = Float64Array.from(order, (i) => columns[y][i] as number);
  let last = xs.find(Number.isFinite);
  if (last === undefined || !ys.some(Number.isFinite)) return null;
  // A point without a finite x leaves a gap at the previous x.
  for (let i = 0; i < count; i++) {
    if (Number.isFinite(xs[i])) last = xs[i] as number;
    else [xs[i], ys[i]] = [last, Number.NaN];
  }
  return { series: toSeries(xs, ys), order };
}

/**
 * Above the highest prediction there are no predicted positives, so precision, logged as zero there, has no meaning.
 * Differs from TensorBoard: if there are no predicted positives at all, there are no points either.
 */
function predictedCount({ tp, fp }: Curve["columns"]): number {
  let count = tp.length;
  while (count > 0 && (tp[count - 1] as number) + (fp[count - 1] as number) === 0) count--;
  return count;
}

/** The index of the threshold nearest to this one; thresholds ascend. */
export function atThreshold({ columns }: Curve, threshold: number): number {
  const { threshold: all } = columns;
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] as number) < threshold) low = middle + 1;
    else high = middle;
  }
  const after = Math.min(low, all.length - 1);
  return after > 0 && threshold - (all[after - 1] as number) < (all[after] as number) - threshold ? after - 1 : after;
}

const ROWS = 4;
const TALL_ROWS = 12;

/** Rows of a legend that are shown at once: one more than usual rather than "+1". */
export function legendRows(count: number, isTall: boolean): number {
  const usual = isTall ? TALL_ROWS : ROWS;
  return count <= usual + 1 ? count : usual;
}
