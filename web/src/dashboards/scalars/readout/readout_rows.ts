// The values of a card's lines at one x: a row for each training, validation and train side by side, best first. Pure.

import { pointNear } from "../../../chart/nearest";
import { type Series, xOf } from "../../../chart/model";
import type { CardLine } from "../../../lines/card_model";
import type { Goal } from "../../../lines/compare";
import { partOf } from "../../../state/runs/trainings";

export interface ReadoutValue {
  readonly run: string;
  readonly value: number;
  /** The x of its point. */
  readonly x: number;
  /** The line ends before this x, or begins after it. */
  readonly isBeyond: boolean;
}

export interface ReadoutRow {
  /** The training, or the run or group itself. */
  readonly name: string;
  /** A line of it: for its colour. */
  readonly run: string;
  /** Of validation data, or of a run that is no part. */
  readonly value: ReadoutValue | null;
  readonly train: ReadoutValue | null;
  /** Set if there is no finite value: what is there instead, and since which x. */
  readonly notFinite: { readonly word: string; readonly x: number } | null;
  readonly isBest: boolean;
}

export interface Readout {
  readonly rows: readonly ReadoutRow[];
  readonly hasValue: boolean;
  readonly hasTrain: boolean;
  /** All in the first column are of validation data. */
  readonly isAllCheck: boolean;
}

export interface ReadoutFacts {
  readonly at: number;
  /** Null: the name of the tag does not tell. */
  readonly goal: Goal | null;
  readonly trainingOf: (run: string) => string;
  /** The exact value of a reduced line, once it is known. */
  readonly exact?: (run: string) => number | undefined;
}

type Cells = Pick<ReadoutRow, "name" | "run" | "value" | "train">;

/** `lines` have one tag. */
export function makeReadout(lines: readonly CardLine[], { at, goal, trainingOf, exact }: ReadoutFacts): Readout {
  const byTraining = new Map<string, number>();
  const series = new Map<string, Series>();
  const rows: Cells[] = [];
  const isTrain = trainLines(lines, trainingOf);
  const ordered = [...lines].sort((a, b) => turnOf(a.run) - turnOf(b.run));
  for (const line of ordered) {
    const near = pointNear(line.series, at);
    if (!near) continue;
    const { run } = line;
    series.set(run, line.series);
    const value = {
      run,
      value: exact?.(run) ?? (line.series.y[near.point] as number),
      x: near.x,
      isBeyond: isBeyond(line.series, at),
    };
    const name = trainingOf(run);
    const column = isTrain(run) ? "train" : "value";
    const place = byTraining.get(name);
    const before = place === undefined ? null : (rows[place] as Cells);
    const cells: Cells = { name, run, value: null, train: null, [column]: value };
    if (place === undefined) byTraining.set(name, rows.push(cells) - 1);
    else if (before?.[column] === null) rows[place] = { ...before, [column]: value };
    // A second validation part has a row of its own, under its own name.
    else rows.push({ ...cells, name: run });
  }
  const hasValue = rows.some((row) => row.value);
  const key = ({ value, train }: Cells): number =>
    value ? value.value : hasValue ? Number.NaN : (train?.value ?? NaN);
  const sign = goal === "min" ? 1 : -1;
  const compare = (a: number, b: number): number =>
    Number.isFinite(a) && Number.isFinite(b) ? sign * (a - b) : Number(Number.isFinite(b)) - Number(Number.isFinite(a));
  const sorted = rows.sort(
    (a, b) => compare(key(a), key(b)) || compare(a.train?.value ?? Number.NaN, b.train?.value ?? Number.NaN),
  );
  const isKnown = goal !== null && sorted.length > 1 && Number.isFinite(key(sorted[0] as Cells));
  return {
    rows: sorted.map((cells, i) => ({ ...cells, notFinite: notFiniteOf(cells, series), isBest: isKnown && i === 0 })),
    hasValue,
    hasTrain: rows.some((row) => row.train),
    isAllCheck: rows.every(({ value }) => !value || partOf(value.run) === "check"),
  };
}

const isTest = (run: string): boolean => /\btest$/i.test(run);

/** Who takes the row of a training first. A test, and a parent beside both of its parts, have rows of their own. */
const turnOf = (run: string): number => (partOf(run) === null ? 2 : Number(isTest(run)));

/** Parts named so, and a parent whose other part is of validation data. */
function trainLines(lines: readonly CardLine[], trainingOf: (run: string) => string): (run: string) => boolean {
  const parts = new Map<string, Set<string | null>>();
  for (const { run } of lines) {
    const training = trainingOf(run);
    parts.set(training, (parts.get(training) ?? new Set()).add(partOf(run)));
  }
  return (run) => {
    const part = partOf(run);
    const beside = parts.get(run);
    return part === "train" || (part === null && beside?.has("check") === true && !beside.has("train"));
  };
}

// A line that is logged now and then has not ended just because its next point is not there yet.
const GAPS = 2;

function isBeyond(series: Series, at: number): boolean {
  if (!series.isSorted) return false;
  const xs = xOf(series);
  const [first, last] = [xs[0] as number, xs[xs.length - 1] as number];
  const gap = xs.length > 1 ? (last - first) / (xs.length - 1) : 0;
  return at > last + GAPS * gap || at < first - GAPS * gap;
}

function notFiniteOf({ value, train }: Cells, series: ReadonlyMap<string, Series>): ReadoutRow["notFinite"] {
  const own = [value, train].filter((cell) => cell !== null);
  if (own.some((cell) => Number.isFinite(cell.value))) return null;
  const [first] = own.flatMap((cell) => firstNotFinite(series.get(cell.run)) ?? []).sort((a, b) => a.x - b.x);
  return first ?? null;
}

const known = new WeakMap<Series, { word: string; x: number } | null>();

function firstNotFinite(series: Series | undefined): { word: string; x: number } | null {
  if (!series) return null;
  let found = known.get(series);
  if (found === undefined) {
    const at = series.y.findIndex((value) => !Number.isFinite(value));
    const value = series.y[at] as number;
    const word = Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
    known.set(series, (found = at < 0 ? null : { word, x: xOf(series)[at] as number }));
  }
  return found;
}
