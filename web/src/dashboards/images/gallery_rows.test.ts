import { expect, test } from "vitest";
import type { SeriesSteps } from "../../api/steps";
import { rowOf, rowsByStep, rowsInLines } from "./gallery_rows";

function series(...steps: number[]): SeriesSteps {
  return {
    run: "r",
    tag: "t",
    generation: 1,
    step: Float64Array.from(steps),
    wallTime: Float64Array.from(steps),
    row: Uint32Array.from(steps.keys()),
  };
}

test("values of one step stand beside each other, and gaps stay", () => {
  const rows = rowsByStep([series(0, 10, 20), series(10, 15)]);
  expect(rows.map((row) => [row.step, ...row.cells.map((cell) => cell?.index ?? null)])).toEqual([
    [0, 0, null],
    [10, 1, 0],
    [15, null, 1],
    [20, 2, null],
  ]);
});

test("a step that was logged twice is there twice", () => {
  const rows = rowsByStep([series(5, 5, 6), series(5)]);
  expect(rows.map((row) => row.cells.map((cell) => cell?.index ?? null))).toEqual([
    [0, 0],
    [1, null],
    [2, null],
  ]);
  expect(new Set(rows.map((row) => row.key)).size).toBe(3);
});

test("one run fills lines", () => {
  const rows = rowsInLines(7, 3);
  expect(rows.map((row) => row.cells.map((cell) => cell?.index))).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
  expect(rowOf(rows, 0, 4)).toBe(1);
  expect(rowOf(rows, 0, 99)).toBe(0);
});
