// The text of the run table: column heads and cells.

import { columnFormat, formatDuration, formatTime, formatValue } from "../base/format";
import type { Cell } from "../base/natural";
import type { RunColumn } from "../state/view/view";
import { formatCount } from "../base/count";

export interface ColumnHead {
  readonly title: string;
  /** The statistic of a metric; "" for other columns. */
  readonly detail: string;
}

const INFO_TITLES = {
  started: "Started",
  updated: "Updated",
  duration: "Duration",
  points: "Points",
  assets: "Assets",
  note: "Note",
} as const;
const SHORT = 8;

export function columnHead(column: RunColumn): ColumnHead {
  if (column.kind === "info") return { title: INFO_TITLES[column.name], detail: "" };
  if (column.kind === "hparam") return { title: column.name, detail: "" };
  if (column.stat === "at_step") return { title: column.tag, detail: `at step ${formatCount(column.step)}` };
  if (column.stat === "at_best") return { title: column.tag, detail: `at ${column.best} of ${column.bestTag}` };
  return { title: column.tag, detail: column.stat };
}

/** In one line, for labels and menus: "val/acc, max". */
export function columnName(column: RunColumn): string {
  const { title, detail } = columnHead(column);
  return detail ? `${title}, ${detail}` : title;
}

export function cellText(column: RunColumn, cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "number") return String(cell);
  if (column.kind === "info" && column.name === "duration") return formatDuration(cell);
  if (column.kind === "info" && (column.name === "started" || column.name === "updated")) return formatTime(cell);
  const plain = String(cell);
  // Short numbers are shown as they were typed, such as 3e-4.
  if (column.kind === "hparam" && plain.length <= SHORT) return plain.replace("-", "−");
  return Number.isInteger(cell) && Math.abs(cell) < 1e9
    ? (cell < 0 ? "−" : "") + formatCount(Math.abs(cell))
    : formatValue(cell);
}

/** How a column writes its cells: those of a metric with the same number of decimals. */
export function cellWriter(column: RunColumn, cells: readonly Cell[]): (cell: Cell) => string {
  if (column.kind !== "metric") return (cell) => cellText(column, cell);
  const write = columnFormat(cells.filter((cell) => typeof cell === "number"));
  return (cell) => (typeof cell === "number" ? write(cell) : cellText(column, cell));
}
