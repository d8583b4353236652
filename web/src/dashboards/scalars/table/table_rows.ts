// Builds the rows of the data table from the server's answer: one per series, or one per group of runs. Pure.

import type { NearestRow, RangeRow } from "../../../api/types";
import type { RunGroup } from "../../../state/runs/groups";
import type { Center } from "../../../state/view/view";
import { difference, seriesKey } from "../../../lines/compare";
import type { Cell } from "../../../lines/table_format";

/** Whether numbers use logged or smoothed values. A table never mixes them. */
export type Basis = "raw" | "smoothed";

export interface TableRow {
  readonly key: string;
  /** The run, or the group's label. */
  readonly name: string;
  readonly tag: string;
  readonly isBaseline: boolean;
  readonly cells: Readonly<Record<string, Cell>>;
}

export interface RowsWanted {
  readonly basis: Basis;
  readonly baseline: string | null;
  /** Other runs only serve as the baseline. */
  readonly isShown: (run: string) => boolean;
  readonly title: (run: string) => string;
}

type Numbers = Record<string, number | null>;

const toNumber = (value: number | string | null): number | null => (value === null ? null : Number(value));

function numbersOf(row: NearestRow | RangeRow, basis: Basis): Numbers {
  if (row.kind === "at") {
    const { value, smoothed, step, relative, wall_time } = row;
    return {
      value: Number(value),
      smoothed: Number(smoothed),
      step,
      relative: Number(relative),
      wall_time: Number(wall_time),
      compared: Number(basis === "smoothed" ? smoothed : value),
    };
  }
  const { min, max, start, end, delta, delta_ratio, mean, min_step, max_step } =
    (basis === "smoothed" ? row.smoothed : null) ?? row;
  return {
    min: toNumber(min),
    max: toNumber(max),
    start: toNumber(start),
    end: toNumber(end),
    delta: toNumber(delta),
    delta_ratio: toNumber(delta_ratio),
    mean: toNumber(mean),
    min_step,
    max_step,
    start_step: row.start_step,
    end_step: row.end_step,
    count: row.count,
    compared: toNumber(end),
  };
}

/** One row per series, in the order of the answer. */
export function makeRows(answer: readonly (NearestRow | RangeRow)[], wanted: RowsWanted): TableRow[] {
  const { basis, baseline, isShown, title } = wanted;
  const base = new Map(
    answer.filter((row) => row.run === baseline).map((row) => [row.tag, numbersOf(row, basis)["compared"] ?? null]),
  );
  return answer
    .filter((row) => isShown(row.run))
    .map((row) => {
      const { compared, ...numbers } = numbersOf(row, basis);
      const isBaseline = row.run === baseline;
      const cells = {
        ...numbers,
        name: title(row.run),
        tag: row.tag,
        baseline: isBaseline ? null : difference(compared, base.get(row.tag)),
      };
      return { key: seriesKey(row.run, row.tag), name: row.run, tag: row.tag, isBaseline, cells };
    });
}

/** One row per group and tag. Each number is the mean or median of the runs' numbers. */
export function makeGroupRows(
  answer: readonly (NearestRow | RangeRow)[],
  groups: readonly RunGroup[],
  center: Center,
  wanted: RowsWanted,
): TableRow[] {
  const { basis, baseline } = wanted;
  const byKey = new Map(answer.map((row) => [seriesKey(row.run, row.tag), numbersOf(row, basis)]));
  const tags = [...new Set(answer.map((row) => row.tag))];
  return tags.flatMap((tag) =>
    groups.flatMap(({ label, runs }) => {
      const found = runs
        .flatMap((run): Numbers[] => listOf(byKey.get(seriesKey(run, tag))))
        .filter((numbers) => numbers["count"] !== 0);
      if (found.length === 0) return [];
      const cells: Record<string, Cell> = { name: label, tag, n: found.length };
      for (const key of Object.keys(found[0] as Numbers)) cells[key] = centerOf(column(found, key), center);
      cells["start_step"] = Math.min(...column(found, "start_step"));
      cells["end_step"] = Math.max(...column(found, "end_step"));
      cells["count"] = column(found, "count").reduce((sum, each) => sum + each, 0);
      cells["std"] = deviation(column(found, "compared"));
      const base = baseline === null ? undefined : byKey.get(seriesKey(baseline, tag))?.["compared"];
      cells["baseline"] = difference(cells["compared"] as number | null, base);
      return [{ key: seriesKey(label, tag), name: label, tag, isBaseline: false, cells }];
    }),
  );
}

const listOf = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);
const column = (rows: readonly Numbers[], key: string): number[] => rows.flatMap((numbers) => numbers[key] ?? []);

export function centerOf(values: readonly number[], center: Center): number | null {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return values.length === 0 ? null : Number.NaN;
  if (center === "mean") return finite.reduce((sum, each) => sum + each / finite.length, 0);
  const sorted = finite.sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}

/** The sample standard deviation, as for the band: the divisor is n - 1. One run has no spread. */
export function deviation(values: readonly number[]): number | null {
  const finite = values.filter(Number.isFinite);
  const mean = centerOf(finite, "mean");
  if (mean === null) return null;
  return Math.sqrt(finite.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(finite.length - 1, 1));
}

export interface RowSort {
  readonly column: string;
  readonly isDescending: boolean;
}

const natural = new Intl.Collator("en", { numeric: true });

/** Rows without a number come last in both directions. Ties sort by name in natural order. */
export function sortRows(rows: readonly TableRow[], { column, isDescending }: RowSort): TableRow[] {
  const sign = isDescending ? -1 : 1;
  const isMissing = (cell: Cell | undefined): boolean => cell === null || cell === undefined || Number.isNaN(cell);
  return [...rows].sort((a, b) => {
    const x = a.cells[column];
    const y = b.cells[column];
    if (isMissing(x) || isMissing(y)) return Number(isMissing(x)) - Number(isMissing(y)) || byName(a, b);
    const order =
      typeof x === "string" || typeof y === "string"
        ? natural.compare(String(x), String(y))
        : compareNumbers(x as number, y as number);
    return sign * order || byName(a, b);
  });
}

// Do not subtract: the difference of two infinities is NaN.
const compareNumbers = (x: number, y: number): number => Number(x > y) - Number(x < y);
const byName = (a: TableRow, b: TableRow): number =>
  natural.compare(String(a.cells["name"]), String(b.cells["name"])) || natural.compare(a.tag, b.tag);
