// Columns of tables, those of ops and kernels, and how rows are filtered, sorted and written. Pure.

import { formatCount } from "../../../base/count";
import { formatBytes, formatRough } from "../../../base/format";
import type { components } from "../../../api/types.gen";
import type { Sort } from "../../table_sort";
import type { AliveRow, Block, BufferRow, StepPart, Suspect } from "../answer";
import { PARTS } from "../summary/parts";
import { formatTime } from "../trace/time_format";
import { fulfils, parseRowQuery } from "./row_query";

export type OpRow = components["schemas"]["OpRow"];
export type KernelRow = components["schemas"]["KernelRow"];
type Cause = components["schemas"]["Cause"];
export type Cell = string | number | null;

export interface Column<Row> {
  readonly name: string;
  readonly label: string;
  readonly widthPx: number;
  /** How much of it is left where there is little room; missing: all of it. */
  readonly leastPx?: number;
  readonly value: (row: Row) => Cell;
  /** Missing: text is shown as it is. */
  readonly format?: (value: number) => string;
  /** What the heading does not say. */
  readonly hint?: string;
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
export const time = (ps: number): string => formatTime(ps);
export const rate =
  (unit: string) =>
  (value: number): string => {
    const power = Math.min(5, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
    return `${formatRough(value / 1000 ** power)} ${["", "k", "M", "G", "T", "P"][power]}${unit}/s`;
  };

/** Room for a number with its unit, for the heading, and for the arrow of sorting. */
const numberPx = (label: string): number => Math.max(82, Math.ceil(label.length * 6.4) + 29);
export const number = <Row>(
  name: string,
  label: string,
  value: (row: Row) => number | null | undefined,
  format: (value: number) => string,
  hint?: string,
): Column<Row> => ({
  name,
  label,
  widthPx: numberPx(label),
  value: (row) => value(row) ?? null,
  format,
  ...(hint && { hint }),
});
const LEAST_TEXT_PX = 96;
const LEAST_TITLE_PX = 180;
export const text = <Row>(name: string, label: string, widthPx: number, value: (row: Row) => string): Column<Row> => ({
  ...{ name, label, widthPx, leastPx: Math.min(widthPx, LEAST_TEXT_PX), value },
});
/** What a row is about: it stays in sight, and keeps enough to be read. */
const title = <Row>(name: string, label: string, widthPx: number, value: (row: Row) => string): Column<Row> => ({
  ...text(name, label, widthPx, value),
  leastPx: Math.min(widthPx, LEAST_TITLE_PX),
});
const wide = <Row>(column: Column<Row>, widthPx: number): Column<Row> => ({ ...column, widthPx });
/** Zero means that there is nothing to say. */
const some = (value: number | null | undefined): number | null => value || null;

export const OP_COLUMNS: readonly Column<OpRow>[] = [
  title("name", "Op", 280, ({ name }) => name),
  text("type", "Type", 92, ({ type }) => type),
  text("module", "Module", 130, ({ module }) => module ?? ""),
  text("place", "On", 64, ({ place }) => place),
  number("count", "Calls", ({ occurrences }) => occurrences, formatCount),
  number("self", "Self", ({ self_ps }) => self_ps, time, "Without the ops inside it"),
  number("share", "Share", ({ share }) => share, percent, "Of the self time of all ops in the same place"),
  number("total", "Total", ({ total_ps }) => total_ps, time, "With the ops inside it"),
  number(
    "device",
    "Device",
    ({ device_self_ps }) => some(device_self_ps),
    time,
    "Of the kernels that it launched itself",
  ),
  number("mean", "Mean", ({ total_ps, occurrences }) => total_ps / Math.max(occurrences, 1), time),
  number("shortest", "Shortest", ({ min_ps }) => min_ps, time),
  number("longest", "Longest", ({ max_ps }) => max_ps, time),
  wide(
    number(
      "flops",
      "FLOP rate",
      ({ flop_rate }) => some(flop_rate),
      rate("FLOP"),
      "Of the kernels, where there are any",
    ),
    100,
  ),
  number("bandwidth", "Bandwidth", ({ bandwidth }) => some(bandwidth), rate("B")),
  number("intensity", "FLOP / byte", ({ intensity }) => some(intensity), formatRough),
  text("bound", "Bound by", 84, ({ bound_by }) => (bound_by && bound_by !== "unknown" ? bound_by : "")),
  number("cores", "Tensor cores", ({ tensor_cores }) => tensor_cores, percent, "Of the time of its kernels"),
  text("eager", "Eager", 60, ({ is_eager }) => (is_eager ? "yes" : "")),
  text("shapes", "Shapes", 200, ({ shapes }) => shapes ?? ""),
  text("source", "Source", 130, ({ source }) => source ?? ""),
  text("hlo", "HLO category", 110, ({ hlo_category }) => hlo_category ?? ""),
];

const occupancyText = (value: number): string => `${formatRough(value)} %`;
/** A launch takes about as long. */
const SHORT_PS = 5e6;
/** Kernels that are over before the next can be launched, those that the device idled longest before first. */
export const shortKernels = (rows: readonly KernelRow[]): readonly KernelRow[] =>
  rows
    .filter(({ mean_ps }) => mean_ps < SHORT_PS)
    .toSorted((a, b) => b.idle_before_ps - a.idle_before_ps || b.total_ps - a.total_ps);

export const KERNEL_COLUMNS: readonly Column<KernelRow>[] = [
  title("name", "Kernel", 320, ({ name }) => name),
  text("op", "Op", 170, ({ op }) => op ?? ""),
  text("module", "Module", 130, ({ module }) => module ?? ""),
  number("count", "Calls", ({ occurrences }) => occurrences, formatCount),
  number("total", "Total", ({ total_ps }) => total_ps, time),
  number("share", "Share", ({ share }) => share, percent, "Of the time of all kernels"),
  number("mean", "Mean", ({ mean_ps }) => mean_ps, time),
  number("shortest", "Shortest", ({ min_ps }) => min_ps, time),
  number("longest", "Longest", ({ max_ps }) => max_ps, time),
  number(
    "idle",
    "Idle before",
    ({ idle_before_ps }) => some(idle_before_ps),
    time,
    "How long the device had nothing to do directly before these kernels, in sum",
  ),
  text("cores", "Tensor cores", 96, ({ tensor_cores, is_eligible }) =>
    tensor_cores ? "yes" : is_eligible ? "could" : "",
  ),
  number(
    "occupancy",
    "Achieved",
    ({ achieved_occupancy }) => achieved_occupancy,
    occupancyText,
    "Occupancy: places for warps that were taken",
  ),
  number(
    "allowed",
    "Occupancy",
    ({ occupancy }) => occupancy,
    occupancyText,
    "What registers, shared memory and block size allow",
  ),
  number("registers", "Registers", ({ registers }) => registers, formatCount, "Per thread"),
  number(
    "shared",
    "Shared",
    ({ shared_bytes }) => some(shared_bytes),
    (bytes) => formatTime(bytes, "bytes"),
    "Shared memory of a block",
  ),
  text("grid", "Grid", 110, ({ grid }) => (grid ?? []).join(" × ")),
  text("block", "Block", 110, ({ block }) => (block ?? []).join(" × ")),
];

export const BUFFER_COLUMNS: readonly Column<BufferRow>[] = [
  title("instruction", "Instruction", 220, ({ instruction }) => instruction),
  number("bytes", "Bytes", (row) => row.bytes, formatBytes),
  text("kind", "For", 96, ({ kind }) => kind),
  text("category", "Category", 120, ({ category }) => category ?? ""),
  text("op", "Op", 220, ({ op }) => op ?? ""),
  text("source", "Source", 130, ({ source }) => source ?? ""),
  text("program", "Program", 140, ({ program }) => program),
  number("allocation", "Allocation", ({ allocation }) => allocation, String),
  number("size", "Its size", ({ allocation_bytes }) => allocation_bytes, formatBytes, "Of the whole allocation"),
  number("offset", "At", ({ offset_bytes }) => offset_bytes, formatCount, "Byte of the allocation"),
];

export const ALIVE_COLUMNS: readonly Column<AliveRow>[] = [
  title("op", "Made by", 280, ({ op }) => op),
  number("bytes", "Bytes", (row) => row.bytes, formatBytes),
  number("count", "Count", ({ count }) => count, formatCount),
  text("region", "For", 110, ({ region }) => region),
  text("module", "Module", 150, ({ module }) => module),
  text("type", "Type", 80, ({ type }) => type),
  text("shape", "Shapes", 260, ({ shape }) => shape),
];

export const BLOCK_COLUMNS: readonly Column<Block>[] = [
  title("op", "Made by", 280, ({ op }) => op),
  number("bytes", "Bytes", (row) => row.bytes, formatBytes),
  number("start", "Allocated", ({ start_ps }) => start_ps, time, "Since the beginning of the profile"),
  number("end", "Freed", ({ end_ps }) => end_ps, time, "Since the beginning of the profile"),
  number(
    "lifetime",
    "Lifetime",
    ({ start_ps, end_ps }) => (start_ps === null || end_ps === null ? null : end_ps - start_ps),
    time,
  ),
  text("region", "For", 110, ({ region }) => region),
  text("module", "Module", 150, ({ module }) => module),
];

export const SUSPECT_COLUMNS: readonly Column<Suspect>[] = [
  title("op", "Made by", 280, ({ op }) => op),
  number(
    "step",
    "Per step",
    ({ step_bytes }) => step_bytes,
    formatBytes,
    "Added by a step, and still there after the next",
  ),
  number("bytes", "In all", (row) => row.bytes, formatBytes),
  number("count", "Count", ({ count }) => count, formatCount),
  number("steps", "Steps", ({ steps }) => steps, formatCount, "In which some were made"),
  text("module", "Module", 150, ({ module }) => module),
];

/** Files have these; the page shows them otherwise. */
export const CAUSE_COLUMNS: readonly Column<Cause>[] = [
  text("kind", "Kind", 80, ({ kind }) => kind),
  text("name", "Name", 200, ({ name }) => name),
  number("before", "Before", ({ before }) => before, String, "Picoseconds of a step; of memory, bytes"),
  number("after", "After", ({ after }) => after, String),
  number("callsBefore", "Calls before", ({ calls_before }) => calls_before, String),
  number("callsAfter", "Calls after", ({ calls_after }) => calls_after, String),
  number("share", "Share", ({ share }) => share, percent),
];
export const STEP_COLUMNS: readonly Column<StepPart>[] = [
  number("step", "Step", (step) => step.number, String),
  number("start", "Start ps", ({ start_ps }) => start_ps, String),
  number("time", "Step time ps", ({ start_ps, end_ps }) => end_ps - start_ps, String),
  ...Object.entries(PARTS).map(([part, { label }]) =>
    number<StepPart>(part, `${label} ps`, ({ parts }) => parts[part], String),
  ),
  text("outlier", "Outlier", 60, ({ is_outlier }) => (is_outlier ? "yes" : "")),
];

export const isNumber = <Row>({ format }: Column<Row>): boolean => format !== undefined;

/** Columns that have something to say in some row. */
export const usedColumns = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly Column<Row>[] =>
  columns.filter((column, i) => i === 0 || rows.some((row) => !isNothing(column.value(row))));
const isNothing = (cell: Cell): boolean => cell === null || cell === "";

/** Widths that fill the room: what can be shortened gives way, and the first column takes what is left over. Where even
    the least is too wide, the table is wider than its room. */
export function fitColumns<Row>(columns: readonly Column<Row>[], roomPx: number): readonly number[] {
  const widths = columns.map(({ widthPx }) => widthPx);
  const spare = roomPx - widths.reduce((sum, each) => sum + each, 0);
  if (spare >= 0) return widths.map((each, i) => (i === 0 ? each + spare : each));
  const slack = columns.map(({ widthPx, leastPx = widthPx }) => widthPx - leastPx);
  const total = slack.reduce((sum, each) => sum + each, 0);
  const part = total === 0 ? 0 : Math.min(1, -spare / total);
  return widths.map((each, i) => each - (slack[i] as number) * part);
}

/** Rows with these words in one of their texts, and numbers that fulfil the conditions: "conv self>1ms calls>100". */
export function filterRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[], wanted: string): readonly Row[] {
  const texts = columns.filter((column) => !isNumber(column));
  const plain = (label: string): string => label.toLowerCase().replaceAll(" ", "");
  const numbers = new Map(
    columns.filter(isNumber).flatMap((each) => [each.name, each.label].map((key) => [plain(key), each])),
  );
  const { words, conditions } = parseRowQuery(wanted, (name) => numbers.has(name));
  if (words === "" && conditions.length === 0) return rows;
  return rows.filter(
    (row) =>
      conditions.every((each) =>
        fulfils((numbers.get(each.column) as Column<Row>).value(row) as number | null, each),
      ) &&
      (words === "" || texts.some((column) => String(column.value(row)).toLowerCase().includes(words))),
  );
}

/** What is missing comes last either way. Null: as the server sorts them. */
export function sortRows<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  sort: Sort | null,
): readonly Row[] {
  const column = sort && columns.find(({ name }) => name === sort.column);
  if (!column) return rows;
  const sign = sort.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (isNothing(x) || isNothing(y)) return Number(isNothing(x)) - Number(isNothing(y));
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en");
    return order * sign;
  });
}

export const textOf = <Row>({ value, format }: Column<Row>, row: Row): string => {
  const cell = value(row);
  return cell === null ? "" : typeof cell === "number" && format ? format(cell) : String(cell);
};

/** Numbers in full: times in picoseconds, shares from 0 to 1. */
export function writeCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const quoted = (cell: Cell): string => {
    const written = cell === null ? "" : String(cell);
    return /[",\r\n]/.test(written) ? `"${written.replaceAll('"', '""')}"` : written;
  };
  const lines = rows.map((row) => columns.map(({ value }) => quoted(value(row))).join(","));
  return `${[columns.map(({ label }) => quoted(label)).join(","), ...lines].join("\r\n")}\r\n`;
}
