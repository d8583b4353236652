import { expect, test } from "vitest";
import { sortRows } from "./sort_rows";

test("missing values are last in both directions", () => {
  const rows = Int32Array.of(0, 1, 2, 3, 4);
  const loss = { name: "loss", type: "number", numbers: Float64Array.of(2, Number.NaN, 0.5, 1, 3) } as const;
  expect([...sortRows(rows, loss, false)]).toEqual([2, 3, 0, 4, 1]);
  expect([...sortRows(rows, loss, true)]).toEqual([4, 0, 3, 2, 1]);
  const codes = Int32Array.of(0, 1, 0, -1, 1);
  const label = { name: "label", type: "category", codes, levels: ["Shirt", "Coat"] } as const;
  expect([...sortRows(rows, label, false)]).toEqual([1, 4, 0, 2, 3]);
  expect([...sortRows(rows, label, true)]).toEqual([0, 2, 1, 4, 3]);
  expect(sortRows(rows, null, false)).toBe(rows);
});
