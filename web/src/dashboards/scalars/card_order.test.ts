import { describe, expect, it } from "vitest";
import { DEFAULT_VIEW, type View } from "../../state/view/view";
import { addSeries, combine, moveCard, removePanel, removeTag, toggleRight } from "./card_order";
import { PINNED, type Section } from "../../cards/tag_sections";

const section = (key: string, ids: string[]): Section => ({ key, title: key, ids, total: ids.length });
const tag = (id: string) => ({ id, tags: [id], right: [] });
const view = (change: Partial<View> = {}): View => ({ ...DEFAULT_VIEW, ...change });
const free = (): boolean => false;

describe("moveCard", () => {
  const four = section("t", ["t/1", "t/2", "t/3", "t/10"]);

  it("remembers only as much of the order as is needed", () => {
    expect(moveCard(view(), four, "t/3", "before", "t/1").order?.get("t")).toEqual(["t/3"]);
    expect(moveCard(view(), four, "t/1", "after", "t/3").order?.get("t")).toEqual(["t/2", "t/3"]);
    expect(moveCard(view(), four, "t/1", "after", "t/10").order?.get("t")).toEqual(["t/2", "t/3", "t/10"]);
  });

  it("forgets an order that is the natural one again", () => {
    const moved = section("t", ["t/2", "t/1"]);
    expect(moveCard(view({ order: new Map([["t", ["t/2"]]]) }), moved, "t/1", "before", "t/2").order?.size).toBe(0);
  });

  it("orders pinned cards and pins what is dropped among them", () => {
    const pinned = view({ pinned: ["a", "b"] });
    expect(moveCard(pinned, section(PINNED, ["a", "b"]), "b", "before", "a")).toEqual({ pinned: ["b", "a"] });
    expect(moveCard(pinned, section(PINNED, ["a", "b"]), "new", "after", "a")).toEqual({ pinned: ["a", "new", "b"] });
  });
});

describe("panels", () => {
  it("are made of two tags and pinned", () => {
    expect(combine(view({ pinned: ["x"] }), tag("a"), tag("b"), free)).toEqual({
      panels: [{ id: "panel1", tags: ["b", "a"], right: [] }],
      pinned: ["x", "panel1"],
    });
    expect(combine(view(), tag("a"), tag("a"), free)).toEqual({});
  });

  it("have an id that no tag has", () => {
    expect(addSeries(view(), tag("a"), ["b"], (id) => id === "panel1").pinned).toEqual(["panel2"]);
  });

  it("take up tags and other panels, whichever is dropped on which", () => {
    const one = { id: "panel1", tags: ["a", "b"], right: ["b"] };
    const two = { id: "panel2", tags: ["c", "a"], right: [] };
    const both = view({
      panels: [one, two],
      pinned: ["panel1", "panel2"],
      cards: new Map([["panel2", { isWide: true }]]),
    });
    expect(combine(both, tag("c"), one, free).panels?.[0]).toEqual({ ...one, tags: ["a", "b", "c"] });
    expect(combine(both, one, tag("c"), free).panels?.[0]).toEqual({ ...one, tags: ["a", "b", "c"] });
    const merged = combine(both, two, one, free);
    expect(merged).toMatchObject({ panels: [{ ...one, tags: ["a", "b", "c"] }], pinned: ["panel1"] });
    expect(merged.cards?.size).toBe(0);
  });

  it("lose tags, and go with the last one", () => {
    const one = { id: "panel1", tags: ["a", "b"], right: ["b"] };
    const had = view({ panels: [one], pinned: ["panel1"] });
    expect(removeTag(had, one, "b").panels).toEqual([{ id: "panel1", tags: ["a"], right: [] }]);
    expect(removeTag(had, { ...one, tags: ["a"] }, "a")).toMatchObject({ panels: [], pinned: [] });
    expect(removePanel(had, "panel1")).toMatchObject({ panels: [], pinned: [] });
  });

  it("read a tag on either axis", () => {
    const had = view({ panels: [{ id: "panel1", tags: ["a", "b"], right: ["b"] }] });
    expect(toggleRight(had, "panel1", "a").panels?.[0]?.right).toEqual(["b", "a"]);
    expect(toggleRight(had, "panel1", "b").panels?.[0]?.right).toEqual([]);
  });
});
