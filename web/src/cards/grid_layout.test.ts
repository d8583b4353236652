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

  it("has short cards of a section below each other, where a page has such", () => {
    const heights: Record<string, number> = { "n/1": 90, "n/2": 100, "n/3": 120, "n/4": 240, "m/1": 90 };
    const sizeOf = (id: string): CardSize => {
      const heightPx = heights[id];
      return heightPx ? { heightPx, isWide: false, isFitted: true, stackPx: heightPx } : plain();
    };
    const notes = [section("a", ["a/1"]), section("n", ["n/1", "n/2", "n/3", "n/4"])];
    const room = { columnPx: 100, viewPx: 800 };
    expect(layOut(notes, never, 4, sizeOf, room).rows.filter(({ places }) => places)).toEqual([]);
    const cards = layOut(notes, never, 4, sizeOf, { ...room, canStack: true }).rows.filter(({ ids }) => ids);
    expect(cards.map(({ ids, column, spans, heightPx }) => [ids, column, spans, heightPx])).toEqual([
      [["a/1"], 0, [1], 202],
      [["n/1", "n/2", "n/3", "n/4"], 1, [1, 1, 1, 1], 202],
    ]);
    expect(cards[1]?.places).toEqual([
      { column: 0, topPx: 0 },
      { column: 0, topPx: 90 + GAP_PX },
      { column: 1, topPx: 0 },
      { column: 2, topPx: 0 },
    ]);
    const many = [
      section(
        "n",
        Array.from({ length: 9 }, (_, i) => `n/${(i % 2) + 1}`),
      ),
    ];
    expect(layOut(many, never, 4, sizeOf, { ...room, canStack: true }).rows.some(({ places }) => places)).toBe(false);
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

  it("puts sections with few cards beside each other, each heading above its own columns", () => {
    const few = [section("a", ["a/1"]), section("b", ["b/1", "b/2"]), section("c", ["c/1", "c/2"])];
    const { rows } = layOut(few, never, 4, plain);
    const third = 4 / 3;
    expect(rows.map(({ key, topPx, column, span, spans }) => [key, topPx, column, span, spans])).toEqual([
      ["section a", 0, 0, third, []],
      ["section b", 0, third, 2 * third, []],
      ["card a/1", HEADING_PX, 0, third, [third]],
      ["card b/1", HEADING_PX, third, 2 * third, [third, third]],
      ["section c", HEADING_PX + CARD_PX + GAP_PX, 0, 4, []],
      ["card c/1", 2 * HEADING_PX + CARD_PX + GAP_PX, 0, 4, [2, 2]],
    ]);
  });

  it("gives a row one height, so that what is in sight is found among sections side by side", () => {
    const layout = layOut([section("a", ["a/1"]), section("b", ["b/1"]), section("c", ["c/1"])], never, 2, (id) => ({
      heightPx: id === "b/1" ? 300 : CARD_PX,
      isWide: false,
    }));
    const bottom = HEADING_PX + 300;
    expect(layout.rows.slice(0, 4).map((row) => row.topPx + row.heightPx)).toEqual([
      HEADING_PX,
      HEADING_PX,
      bottom,
      bottom,
    ]);
    expect(rowsBetween(layout, HEADING_PX + CARD_PX + 10, bottom).map((row) => row.key)).toEqual([
      "card a/1",
      "card b/1",
    ]);
    expect(sectionAt(layout, HEADING_PX + 5)?.key).toBe("a");
    expect(sectionAt(layout, bottom + GAP_PX)?.key).toBe("c");
  });

  it("fills every row, and leaves no card alone in the last one", () => {
    const spans = (count: number, columns: number): number[][] =>
      layOut(
        [
          section(
            "a",
            Array.from({ length: count }, (_, i) => `a/${i}`),
          ),
        ],
        never,
        columns,
        plain,
      )
        .rows.filter((row) => row.ids)
        .map((row) => [...row.spans]);
    expect(spans(1, 4)).toEqual([[4]]);
    expect(spans(2, 3)).toEqual([[1.5, 1.5]]);
    expect(spans(5, 4)).toEqual([
      [4 / 3, 4 / 3, 4 / 3],
      [2, 2],
    ]);
    expect(spans(6, 4)).toEqual([
      [1, 1, 1, 1],
      [2, 2],
    ]);
    expect(spans(3, 2)).toEqual([[1, 1], [2]]);
    for (let count = 1; count < 40; count++) {
      for (let columns = 1; columns < 7; columns++)
        for (const row of spans(count, columns)) expect(row.reduce((sum, each) => sum + each, 0)).toBeCloseTo(columns);
    }
  });

  it("keeps collapsed sections, wide cards and cards without a heading apart from others", () => {
    const mixed = [
      { ...section("", ["x"]), isBare: true },
      section("a", ["a/1"]),
      section("b", ["b/1"]),
      section("c", ["c/1"]),
      section("d", ["d/1"]),
    ];
    const { rows } = layOut(
      mixed,
      ({ key }) => key === "a" || key === "b",
      4,
      (id) => ({ heightPx: CARD_PX, isWide: id === "d/1" }),
    );
    const top = CARD_PX + GAP_PX;
    expect(rows.map((row) => [row.key, row.topPx, row.column, row.span])).toEqual([
      ["card x", 0, 0, 4],
      ["section a", top, 0, 1],
      ["section b", top, 1, 1],
      ["section c", top + HEADING_PX, 0, 4],
      ["card c/1", top + 2 * HEADING_PX, 0, 4],
      ["section d", 2 * top + 2 * HEADING_PX, 0, 4],
      ["card d/1", 2 * top + 3 * HEADING_PX, 0, 4],
    ]);
  });

  it("lets the only row of a page grow into its height, and rows of pictures that are wide", () => {
    const room = { columnPx: 300, viewPx: 700 };
    const heights = (groups: Section[], size: Partial<CardSize>): number[] =>
      layOut(groups, never, 3, () => ({ ...plain(), ...size }), room)
        .rows.filter((row) => row.ids)
        .map((row) => row.heightPx);
    const one = section("a", ["a/1"]);
    const two = section("a", ["a/1", "a/2"]);
    const three = section("b", ["b/1", "b/2", "b/3"]);
    // As wide as 3 × 300 + 2 × 12 pixels.
    expect(heights([one], {})).toEqual([Math.floor(924 * 0.6)]);
    expect(heights([one], { heightPx: CARD_PX + 100, belowPx: 100 })).toEqual([Math.floor(924 * 0.6) + 100]);
    expect(heights([one], { isPicture: true })).toEqual([700 - HEADING_PX - GAP_PX - 16]);
    expect(heights([one], { isFitted: true })).toEqual([CARD_PX]);
    expect(heights([two, three], {})).toEqual([CARD_PX, CARD_PX]);
    expect(heights([two, three], { isPicture: true })).toEqual([364, 240]);
    expect(heights([one, three], { isPicture: true })).toEqual([700 - HEADING_PX - GAP_PX - 16, 240]);
  });

  it("has one picture below rows of them as large as those", () => {
    const groups = [section("a", ["a/1", "a/2", "a/3"])];
    const spans = (isPicture: boolean): (readonly number[])[] =>
      layOut(groups, never, 2, () => ({ ...plain(), isPicture }), { columnPx: 300, viewPx: 700 })
        .rows.filter((row) => row.ids)
        .map((row) => row.spans);
    expect(spans(true)).toEqual([[1, 1], [1]]);
    expect(spans(false)).toEqual([[1, 1], [2]]);
  });

  it("does not stretch charts to the height of a text, nor a text to that of charts", () => {
    const sizes: Record<string, CardSize> = {
      "a/1": { heightPx: 320, isWide: false, isFitted: true },
      "a/2": { heightPx: 120, isWide: false, isFitted: true },
    };
    const row = (...ids: string[]): number | undefined =>
      layOut([section("a", ids)], never, 3, (id) => sizes[id] ?? plain()).rows[1]?.heightPx;
    expect([row("a/1", "a/3"), row("a/2", "a/3"), row("a/1", "a/2"), row("a/2")]).toEqual([CARD_PX, CARD_PX, 320, 120]);
  });

  it("gives main cards two columns, but no more than half of a row", () => {
    const rows = (columns: number): unknown[] =>
      layOut([section("a", ["loss", "acc", "x", "y", "z"])], never, columns, (id) => ({
        ...plain(),
        columns: id.length > 1 ? 2 : 1,
      })).rows.flatMap(({ ids, spans }) => (ids ? [ids.map((id, i) => `${id} ${spans[i]}`)] : []));
    expect(rows(4)).toEqual([
      ["loss 2", "acc 2"],
      [`x ${4 / 3}`, `y ${4 / 3}`, `z ${4 / 3}`],
    ]);
    expect(rows(2)).toEqual([["loss 1", "acc 1"], ["x 1", "y 1"], ["z 2"]]);
  });

  it("lays out ten thousand cards of a thousand sections in order of height", () => {
    const many = Array.from({ length: 1_000 }, (_, i) =>
      section(
        `s${i}`,
        Array.from({ length: 1 + ((i * 7) % 19) }, (__, j) => `s${i}/${j}`),
      ),
    );
    const { rows, heightPx } = layOut(
      many,
      ({ key }) => key.endsWith("3"),
      4,
      (id) => ({
        heightPx: id.endsWith("2") ? 300 : CARD_PX,
        isWide: id.endsWith("5"),
      }),
    );
    const bottoms = rows.map((row) => row.topPx + row.heightPx);
    expect(rows.every((row, i) => i === 0 || row.topPx >= (rows[i - 1]?.topPx ?? 0))).toBe(true);
    expect(bottoms.every((bottom, i) => i === 0 || bottom >= (bottoms[i - 1] ?? 0))).toBe(true);
    const shown = many.filter(({ key }) => !key.endsWith("3")).flatMap(({ ids }) => ids);
    expect(rows.flatMap((row) => row.ids ?? [])).toEqual(shown);
    expect(Math.max(...bottoms)).toBeLessThanOrEqual(heightPx);
  });
});
