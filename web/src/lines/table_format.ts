// How numbers and positions are written in tooltips and tables, and a table as text. Pure.

import { columnFormat, formatDuration, formatStep, formatTime, formatValue } from "../base/format";
import { isTimeAxis } from "../state/view/view";

export type CellKind = "name" | "value" | "signed" | "step" | "duration" | "time" | "ratio" | "count";
export type Cell = number | string | null;

/** A position on the x axis; any scalar may be one. */
export function formatAt(x: number, axis: string): string {
  if (axis === "step") return formatStep(x);
  if (axis === "relative") return formatDuration(x);
  return axis === "wall" ? formatTime(x) : formatValue(x);
}

/** "step 8,412", "relative 3 m 2 s", "epoch 1.5". A band may have points between steps. */
export const describeAt = (x: number, axis: string): string =>
  `${isTimeAxis(axis) ? axis : axis.replace(/^=/, "")} ${formatAt(axis === "step" ? Math.round(x) : x, axis)}`;

/** With its sign: −0.0311, +0.0038. */
export function formatSigned(value: number): string {
  return value > 0 ? `+${formatValue(value)}` : formatValue(value);
}

/** +12.3 %; whole percents would hide small changes. */
export function formatRatio(ratio: number): string {
  if (!Number.isFinite(ratio)) return formatSigned(ratio);
  const percent = ratio * 100;
  const text =
    Math.abs(percent) >= 1e5
      ? formatValue(percent)
      : percent.toFixed(Math.abs(percent) >= 100 ? 0 : Math.abs(percent) >= 10 ? 1 : 2).replace("-", "−");
  return `${percent > 0 ? "+" : ""}${text} %`;
}

export function formatCell(cell: Cell | undefined, kind: CellKind): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "string") return cell;
  switch (kind) {
    case "signed":
      return formatSigned(cell);
    case "step":
    case "count":
      return formatStep(cell);
    case "duration":
      return formatDuration(cell);
    case "time":
      return formatTime(cell);
    case "ratio":
      return formatRatio(cell);
    default:
      return formatValue(cell);
  }
}

/** How one column of a table writes its cells: values with the same number of decimals. */
export function cellFormat(cells: readonly (Cell | undefined)[], kind: CellKind): (cell: Cell | undefined) => string {
  if (kind !== "value" && kind !== "signed") return (cell) => formatCell(cell, kind);
  const write = columnFormat(cells.filter((cell) => typeof cell === "number"));
  return (cell) =>
    typeof cell !== "number" ? formatCell(cell, kind) : (kind === "signed" && cell > 0 ? "+" : "") + write(cell);
}

/** All digits, for programs. */
export function exactCell(cell: Cell | undefined): string {
  return cell === null || cell === undefined ? "" : String(cell);
}

export interface TextTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const lines = ({ head, rows }: TextTable, write: (cells: readonly string[]) => string): string =>
  [head, ...rows].map((cells) => `${write(cells)}\n`).join("");

export function toTsv(table: TextTable): string {
  return lines(table, (cells) => cells.map((cell) => cell.replace(/[\t\r\n]+/g, " ")).join("\t"));
}

export function toCsv(table: TextTable): string {
  return lines(table, (cells) =>
    cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(","),
  );
}

/** Columns after the first contain numbers and are right-aligned. */
export function toMarkdown({ head, rows }: TextTable): string {
  const write = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/[\\|]/g, "\\$&").replace(/\s+/g, " ")).join(" | ")} |\n`;
  return [write(head), `|${head.map((_, i) => (i === 0 ? " --- |" : " ---: |")).join("")}\n`, ...rows.map(write)].join(
    "",
  );
}
