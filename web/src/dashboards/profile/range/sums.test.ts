import { expect, test } from "vitest";
import type { Sum, Sums } from "../answer";
import { columnUnit, compareSums } from "./sums";

const row = (label: string, self_ps: number): Sum => ({
  key: 0,
  label,
  hash: 0,
  category: 0,
  count: 1,
  total_ps: self_ps,
  self_ps,
  share: 0,
  min_ps: 0,
  max_ps: 0,
  event: 0,
});
const sums = (...rows: readonly Sum[]): Sums => ({
  rows,
  left_out: { rows: 0, total_ps: 0, self_ps: 0 },
  count: rows.length,
  busy_ps: 0,
  range_ps: 0,
});

test("a column has the unit of its largest number", () => {
  const ms = columnUnit(7.8e9, "ps");
  expect([ms.name, ms.text(7.8e9), ms.text(4e8), ms.text(-2e9), ms.text(-1)]).toEqual([
    "ms",
    "7.80",
    "0.40",
    "−2.00",
    "0.00",
  ]);
  expect(columnUnit(1_836_000e6, "ps").text(1_836_000e6)).toBe("1.84");
  expect(columnUnit(12_345e12, "ps").text(12_345e12)).toBe("12,345.0");
  expect(columnUnit(3 * 2 ** 20, "bytes").name).toBe("MiB");
  expect(columnUnit(0, "ps").text(0)).toBe("0");
});

test("two ranges are compared by name, the largest change first", () => {
  const compared = compareSums(sums(row("conv", 10), row("gone", 3)), sums(row("conv", 8), row("new", 5)));
  expect(compared.map(({ row: { label }, first, second, change }) => [label, first, second, change])).toEqual([
    ["new", 0, 5, 5],
    ["gone", 3, 0, -3],
    ["conv", 10, 8, -2],
  ]);
});
