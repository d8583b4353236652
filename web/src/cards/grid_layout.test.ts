import { describe, expect, it } from "vitest";
import {
  type CardSize,
  countColumns,
  GAP_PX,
  HEADING_PX,
  layOut,
  rowsBetween,
  sectionAt,
  shiftOf,
} from "./grid_layout";
import type { Section } from "./tag_sections";

const section = (key: string, ids: string[]): Section => ({ key, title: key, ids, total: ids.length });
const sections = [section("a", ["a/1", "a/2", "a/3"]), section("b", ["b/1"])];
const never = (): boolean => false;
const CARD_PX = 200;
const plain = (): CardSize => ({ heightPx: CARD_PX, isWide: false });

describe("layOut", () => {
  it("stacks headings and rows", () => {
    const { rows, heightPx } = layOut(sections, never, 2, plain);
    const step = CARD_PX + GAP_PX;
    expect(rows.map((row) => [row.key, row.topPx, row.ids])).toEqual([
      ["section a", 0, null],
      ["card a/1", HEADING_PX, ["a/1", "a/2"]],
      ["card a/3", HEADING_PX + step, ["a/3"]],
      ["section b", HEADING_PX + 2 * step, null],
      ["card b/1", 2 * HEADING_PX + 2 * step, ["b/1"]],
    ]);
    expect(heightPx).toBe(2 * HEADING_PX + 3 * step);
  });

  it("leaves only the heading of a collapsed section", () => {
    expect(layOut(sections, ({ key }) => key === "a", 2, plain).rows.map((row) => row.key)).toEqual([
      "section a",
      "section b",
      "card b/1",
    ]);
  });

  it("tells a tag from a section of the same name", () => {
    const { rows } = layOut([section("a", ["section a", "#a"])], never, 1, plain);
    expect(new Set(rows.map((row) => row.key)).size).toBe(3);
  });

  it("gives a wide card a row of its own and a row the height of its tallest card", () => {
    const sizes: Record<string, CardSize> = {
      "a/2": { heightPx: 300, isWide: true },
      "a/3": { heightPx: 400, isWide: false },
    };
    const { rows } = layOut([section("a", ["a/1", "a/2", "a/3", "a/4"])], never, 2, (id) => sizes[id] ?? plain());
    expect(rows.slice(1).map((row) => [row.ids, row.heightPx])).toEqual([
      [["a/1"], CARD_PX],
      [["a/2"], 300],
      [["a/3", "a/4"], 400],
    ]);
  });

  it("finds the rows of a stretch, edges left out, and the section at a height", () => {
    const layout = layOut(sections, never, 2, plain);
    expect(rowsBetween(layout, 0, HEADING_PX).map((row) => row.key)).toEqual(["section a"]);
    expect(rowsBetween(layout, HEADING_PX, HEADING_PX + 1).map((row) => row.key)).toEqual(["card a/1"]);
    expect(rowsBetween(layout, 0, 1e9)).toHaveLength(5);
    expect(rowsBetween(layout, layout.heightPx, 1e9)).toEqual([]);
    expect([0, HEADING_PX + 5, layout.heightPx].map((px) => sectionAt(layout, px)?.key)).toEqual(["a", "a", "b"]);
  });

  it("tells how far what is seen has moved", () => {
    const before = layOut(sections, never, 1, plain);
    const grown = layOut(sections, never, 1, (id) => ({
      heightPx: id === "a/1" ? CARD_PX + 50 : CARD_PX,
      isWide: false,
    }));
    const at = HEADING_PX + CARD_PX + GAP_PX;
    expect(shiftOf(before, grown, at, at + 300)).toBe(50);
    expect(shiftOf(before, grown, 0, 300)).toBe(0);
    expect(shiftOf(before, layOut([], never, 1, plain), at, at + 300)).toBe(0);
  });

  it("has at least one column", () => {
    expect([0, 300, 648, 1108, 1588].map((px) => countColumns(px, 380))).toEqual([1, 1, 2, 3, 4]);
    expect(countColumns(1108, 735)).toBe(2);
  });
});
