import { describe, expect, it } from "vitest";
import { CARD_PX, countColumns, GAP_PX, HEADING_PX, layOut, rowsBetween } from "./grid_layout";

const sections = [
  { name: "a", tags: ["a/1", "a/2", "a/3"] },
  { name: "b", tags: ["b/1"] },
];
const never = (): boolean => false;

describe("layOut", () => {
  it("stacks headings and rows", () => {
    const { rows, heightPx } = layOut(sections, never, 2);
    const step = CARD_PX + GAP_PX;
    expect(rows.map((row) => [row.key, row.topPx, row.tags])).toEqual([
      ["#a", 0, null],
      ["a/1", HEADING_PX, ["a/1", "a/2"]],
      ["a/3", HEADING_PX + step, ["a/3"]],
      ["#b", HEADING_PX + 2 * step, null],
      ["b/1", 2 * HEADING_PX + 2 * step, ["b/1"]],
    ]);
    expect(heightPx).toBe(2 * HEADING_PX + 3 * step);
  });

  it("leaves only the heading of a collapsed section", () => {
    expect(layOut(sections, (name) => name === "a", 2).rows.map((row) => row.key)).toEqual(["#a", "#b", "b/1"]);
  });

  it("finds the rows of a stretch, edges left out", () => {
    const layout = layOut(sections, never, 2);
    expect(rowsBetween(layout, 0, HEADING_PX).map((row) => row.key)).toEqual(["#a"]);
    expect(rowsBetween(layout, HEADING_PX, HEADING_PX + 1).map((row) => row.key)).toEqual(["a/1"]);
    expect(rowsBetween(layout, 0, 1e9)).toHaveLength(5);
    expect(rowsBetween(layout, layout.heightPx, 1e9)).toEqual([]);
  });

  it("has at least one column", () => {
    expect([0, 300, 648, 1108, 1588].map(countColumns)).toEqual([1, 1, 2, 3, 4]);
  });
});
