import { expect, test } from "vitest";
import {
  type Column,
  filterRows,
  fitColumns,
  KERNEL_COLUMNS,
  type KernelRow,
  shortKernels,
  sortRows,
  textOf,
  usedColumns,
  writeCsv,
} from "./columns";

const kernel = (name: string, more: Partial<KernelRow> = {}): KernelRow => ({
  ...{ name, op: "", module: "", grid: [], block: [], registers: null, shared_bytes: null, occupancy: null },
  ...{ achieved_occupancy: null, tensor_cores: false, is_eligible: false, occurrences: 1, total_ps: 1_000_000 },
  ...{ mean_ps: 1, min_ps: 1, max_ps: 1, share: 0.5, idle_before_ps: 0 },
  ...more,
});
const ROWS = [
  kernel("gemm, big", { op: "aten::mm", registers: 168, tensor_cores: true }),
  kernel("relu", { total_ps: 3_000_000 }),
  kernel("copy", { registers: 32 }),
];
const names = (rows: readonly KernelRow[]): string[] => rows.map(({ name }) => name);
const column = (name: string): Column<KernelRow> =>
  KERNEL_COLUMNS.find((each) => each.name === name) as Column<KernelRow>;

test("rows are found by any of their texts", () => {
  expect(names(filterRows(KERNEL_COLUMNS, ROWS, "ATEN::"))).toEqual(["gemm, big"]);
  expect(filterRows(KERNEL_COLUMNS, ROWS, " ")).toHaveLength(3);
});

test("rows are found by conditions on their numbers, by the name or the label of a column", () => {
  expect(names(filterRows(KERNEL_COLUMNS, ROWS, "total>2us"))).toEqual(["relu"]);
  expect(names(filterRows(KERNEL_COLUMNS, ROWS, "registers>=32 share>=50%"))).toEqual(["gemm, big", "copy"]);
  expect(names(filterRows(KERNEL_COLUMNS, ROWS, "copy calls=1"))).toEqual(["copy"]);
  expect(filterRows(KERNEL_COLUMNS, ROWS, "idlebefore>0")).toEqual([]);
});

test("rows are sorted by any column, those without a value last", () => {
  expect(names(sortRows(KERNEL_COLUMNS, ROWS, { column: "registers", isDescending: true }))).toEqual([
    "gemm, big",
    "copy",
    "relu",
  ]);
  expect(names(sortRows(KERNEL_COLUMNS, ROWS, { column: "registers", isDescending: false }))).toEqual([
    "copy",
    "gemm, big",
    "relu",
  ]);
  expect(names(sortRows(KERNEL_COLUMNS, ROWS, { column: "name", isDescending: false }))[0]).toBe("copy");
  expect(sortRows(KERNEL_COLUMNS, ROWS, null)).toBe(ROWS);
});

test("short kernels are ranked by how long the device idled before them", () => {
  const rows = [
    kernel("long", { mean_ps: 9_000_000, idle_before_ps: 900 }),
    kernel("often", { mean_ps: 2_000_000, idle_before_ps: 10, total_ps: 7 }),
    kernel("late", { mean_ps: 4_000_000, idle_before_ps: 80 }),
    kernel("more often", { mean_ps: 2_000_000, idle_before_ps: 10, total_ps: 8 }),
  ];
  expect(names(shortKernels(rows))).toEqual(["late", "more often", "often"]);
});

test("only columns with values are shown", () => {
  const used = usedColumns(KERNEL_COLUMNS, ROWS).map(({ name }) => name);
  expect(used).toContain("registers");
  expect(used).not.toContain("grid");
});

test("cells are readable, and exact in a file", () => {
  expect(textOf(column("total"), ROWS[1] as KernelRow)).toBe("3 µs");
  expect(textOf(column("share"), ROWS[0] as KernelRow)).toBe("50.0 %");
  expect(textOf(column("cores"), ROWS[0] as KernelRow)).toBe("yes");
  expect(
    writeCsv([column("name"), column("total")], ROWS)
      .split("\r\n")
      .slice(0, 2),
  ).toEqual(["Kernel,Total", '"gemm, big",1000000']);
});

test("names give way before numbers, and what is left over is theirs", () => {
  const columns = [column("name"), column("op"), column("total")];
  const [name, op, total] = columns.map(({ widthPx }) => widthPx) as [number, number, number];
  const [leastName, leastOp] = columns.map(({ leastPx }) => leastPx) as [number, number];
  expect(fitColumns(columns, name + op + total + 50)).toEqual([name + 50, op, total]);
  const half = (name - leastName + op - leastOp) / 2;
  expect(fitColumns(columns, name + op + total - half)).toEqual([(name + leastName) / 2, (op + leastOp) / 2, total]);
  // Wider than the room: it scrolls.
  expect(fitColumns(columns, 100)).toEqual([leastName, leastOp, total]);
  expect(fitColumns([column("total")], 10)).toEqual([total]);
});
