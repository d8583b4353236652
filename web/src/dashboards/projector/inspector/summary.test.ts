import { expect, test } from "vitest";
import { extremeShare, sharesOf, spreadOf } from "./summary";

test("categories of the selection, the most frequent first, with those that have none", () => {
  const label = {
    name: "label",
    type: "category",
    codes: Int32Array.of(0, 1, 1, -1, 0),
    levels: ["Shirt", "Coat"],
  } as const;
  expect(sharesOf(label, Uint8Array.of(1, 1, 1, 1, 0))).toEqual([
    { level: "Coat", code: 1, count: 2 },
    { level: "", code: -1, count: 1 },
    { level: "Shirt", code: 0, count: 1 },
  ]);
  expect(sharesOf({ name: "loss", type: "number", numbers: Float64Array.of(1) }, Uint8Array.of(1))).toEqual([]);
});

test("the range and median of the selection's numbers", () => {
  const loss = { name: "loss", type: "number", numbers: Float64Array.of(4, Number.NaN, 1, 2, 100) } as const;
  expect(spreadOf(loss, Uint8Array.of(1, 1, 1, 1, 0))).toEqual({ low: 1, median: 2, high: 4, count: 3 });
  expect(spreadOf(loss, Uint8Array.of(1, 0, 1, 0, 0))?.median).toBe(2.5);
  expect(spreadOf(loss, new Uint8Array(5))).toBeNull();
});

test("a value is notable among the most extreme twentieth of many", () => {
  const values = Float64Array.from({ length: 100 }, (_, i) => i);
  expect(extremeShare(values, 98)).toEqual({ top: true, percent: 2 });
  expect(extremeShare(values, 0)).toEqual({ top: false, percent: 1 });
  expect(extremeShare(values, 50)).toBeNull();
  expect(extremeShare(values.slice(0, 5), 4)).toBeNull();
});
