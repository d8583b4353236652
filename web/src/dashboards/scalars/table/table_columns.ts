// The columns of the data table and of the tooltip's differences: what each one is, and which apply to one x or to a
// range.

import type { Basis } from "./table_rows";
import type { CellKind } from "../../../lines/table_format";

export type TableMode = "single" | "range";

export interface TableColumn {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: CellKind;
}

const SINGLE: readonly TableColumn[] = [
  { key: "value", label: "Value", hint: "The logged value of the point nearest to the selected x", kind: "value" },
  { key: "smoothed", label: "Smoothed", hint: "The smoothed value of that point", kind: "value" },
  { key: "step", label: "Step", hint: "The step of that point", kind: "step" },
  { key: "relative", label: "Relative", hint: "Time since the first point of the series", kind: "duration" },
  { key: "wall_time", label: "Time", hint: "When the point was logged", kind: "time" },
];

const RANGE: readonly TableColumn[] = [
  { key: "min", label: "Min", hint: "Lowest value in the range", kind: "value" },
  { key: "max", label: "Max", hint: "Highest value in the range", kind: "value" },
  { key: "start", label: "Start", hint: "First value in the range", kind: "value" },
  { key: "end", label: "End", hint: "Last value in the range", kind: "value" },
  { key: "delta", label: "Δ", hint: "End minus start", kind: "signed" },
  { key: "delta_ratio", label: "Δ %", hint: "End minus start, in percent of start", kind: "ratio" },
  { key: "mean", label: "Mean", hint: "Mean of the finite values in the range", kind: "value" },
  { key: "min_step", label: "Min at", hint: "Step of the lowest value", kind: "step" },
  { key: "max_step", label: "Max at", hint: "Step of the highest value", kind: "step" },
  { key: "start_step", label: "First step", hint: "Step of the first point in the range", kind: "step" },
  { key: "end_step", label: "Last step", hint: "Step of the last point in the range", kind: "step" },
  { key: "count", label: "Points", hint: "Points in the range", kind: "count" },
];

// Steps of single runs say nothing about their group.
const OF_RUNS: ReadonlySet<string> = new Set(["step", "relative", "wall_time", "min_step", "max_step"]);
const NAME: TableColumn = { key: "name", label: "Run", hint: "Sort by name", kind: "name" };

export interface TableShape {
  readonly mode: TableMode;
  readonly isGrouped: boolean;
  readonly isSmoothed: boolean;
  readonly basis: Basis;
  readonly hasTags: boolean;
  readonly hasBaseline: boolean;
}

/** Lists all columns, with the name first. */
export function listColumns({ mode, isGrouped, isSmoothed, basis, hasTags, hasBaseline }: TableShape): TableColumn[] {
  const columns: TableColumn[] = [isGrouped ? { ...NAME, label: "Group" } : NAME];
  if (hasTags) columns.push({ key: "tag", label: "Tag", hint: "Sort by tag", kind: "name" });
  if (isGrouped) columns.push({ key: "n", label: "n", hint: "Runs in the group that have points here", kind: "count" });
  for (const column of mode === "single" ? SINGLE : RANGE) {
    if (isGrouped && OF_RUNS.has(column.key)) continue;
    if (column.key === "smoothed" && !isSmoothed) continue;
    columns.push(column);
  }
  if (isGrouped) {
    const what = mode === "single" ? "value" : "last value";
    columns.push({
      key: "std",
      label: "± std",
      hint: `Standard deviation of the runs' ${what}, ${basis}`,
      kind: "value",
    });
  }
  if (hasBaseline) {
    const hint = mode === "single" ? "Less the baseline's value at its nearest point" : "End less the baseline's end";
    columns.push({
      key: "baseline",
      label: "Δ baseline",
      hint: isSmoothed ? `${hint}, ${basis}` : hint,
      kind: "signed",
    });
  }
  return columns;
}
