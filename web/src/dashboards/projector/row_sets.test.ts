import { describe, expect, it } from "vitest";
import { maskOf, readRows, rowsOf, writeRows } from "./row_sets";

describe("rows in the address", () => {
  it.each([
    [[]],
    [[0]],
    [[5]],
    [[0, 1, 2, 3]],
    [[3, 7, 8, 9, 500, 70_000, 70_001, 999_999]],
    [Array.from({ length: 3_000 }, (_, i) => i + 40)],
  ])("reads what it wrote", (rows) => {
    const text = writeRows(rows);
    expect(text).toMatch(/^[\w-]*$/);
    expect([...(readRows(text as string, 1_000_000) as Int32Array)]).toEqual(rows);
  });

  it("is short for ranges, and gives up on what no address can hold", () => {
    expect(writeRows(Array.from({ length: 100_000 }, (_, i) => i))?.length).toBeLessThan(8);
    expect(writeRows(Array.from({ length: 50_000 }, (_, i) => 3 * i))).toBeNull();
  });

  it("leaves out rows that are not there, and rejects other text", () => {
    expect([...(readRows(writeRows([2, 4, 5, 6, 90]) as string, 6) as Int32Array)]).toEqual([2, 4, 5]);
    expect(readRows("a!", 10)).toBeNull();
    expect(readRows("g", 10)).toBeNull();
  });
});

it("masks and lists say the same", () => {
  const mask = maskOf([1, 4, 9], 6);
  expect([...mask]).toEqual([0, 1, 0, 0, 1, 0]);
  expect([...rowsOf(mask)]).toEqual([1, 4]);
});
