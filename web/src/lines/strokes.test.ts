import { describe, expect, it } from "vitest";
import { toSeries } from "../chart/model";
import type { CardLine, LineRole } from "./card_model";
import { makeLook, strokesOf, strokeStyle } from "./strokes";

const line = (run: string, tag: string, role: LineRole = "smoothed"): CardLine => ({
  run,
  tag,
  role,
  generation: 1,
  total: 1,
  series: toSeries(new Float64Array([0]), new Float64Array([1])),
});

describe("strokesOf", () => {
  it("colours by run, dashes by tag and puts right tags on the right axis", () => {
    const spec = { id: "p", tags: ["a", "b"], right: ["b"] };
    const strokes = strokesOf(spec, [line("x", "a"), line("x", "b"), line("y", "b")], 0, "light", (run) => `#${run}`);
    expect(strokes.map((stroke) => [stroke.color, stroke.axis])).toEqual([
      ["#x", "left"],
      ["#x", "right"],
      ["#y", "right"],
    ]);
    expect(strokes[0]?.dash).toEqual([]);
    expect(strokes[1]?.dash).not.toEqual([]);
    expect(strokes[2]?.dash).toBe(strokes[1]?.dash);
  });
});

describe("makeLook", () => {
  const tags = ["a", "b", "c", "d", "e", "f"];
  const spec = { id: "p", tags, right: [] };
  const facts = (runs: readonly string[]) => ({
    spec,
    runs,
    theme: "light" as const,
    partsMeet: true,
    color: () => "#2663f1",
    shade: (run: string) => (run.endsWith("/train") ? "#6e96f6" : "#2663f1"),
    dash: (run: string) => (run.endsWith("/train") ? [5, 3] : []),
  });

  it("tells the tags of one training by colour, and its parts by dashes", () => {
    const look = makeLook(facts(["x/train", "x/val"]));
    expect(look.isByTag).toBe(true);
    expect(new Set(tags.map((tag) => look.color("x/val", tag))).size).toBe(6);
    expect([look.dash("x/train", "a"), look.dash("x/val", "a")]).toEqual([[5, 3], []]);
  });

  it("does not tell six tags of several runs by dashes alone", () => {
    const look = makeLook(facts(["x", "y"]));
    expect(look.isByTag).toBe(false);
    expect(look.color("x", "a")).toBe("#2663f1");
    const looks = tags.map((tag) => `${look.color("x", tag)} ${look.dash("x", tag).join(" ")}`);
    expect(new Set(looks).size).toBe(6);
    expect(new Set(tags.map((tag) => look.color("x", tag))).size).toBe(5);
  });

  it("tells more tags than there are dashes apart", () => {
    const many = { id: "p", tags: Array.from({ length: 12 }, (_, i) => `t${i}`), right: [] };
    const look = makeLook({ ...facts(["x", "y"]), spec: many });
    const looks = many.tags.map((tag) => `${look.color("x", tag)} ${look.dash("x", tag).join(" ")}`);
    expect(new Set(looks).size).toBe(12);
    expect(new Set(many.tags.map((tag) => JSON.stringify(look.sample(tag)))).size).toBe(12);
  });

  it("leaves parts without others beside them solid, in the full colour", () => {
    const one = { id: "a", tags: ["a"], right: [] };
    const look = makeLook({ ...facts(["x/train", "y/train", "z"]), spec: one, partsMeet: false });
    expect([look.color("x/train", "a"), look.dash("x/train", "a")]).toEqual(["#2663f1", []]);
  });

  it("has the dashes of runs where there is one tag, but not in a crowd", () => {
    const one = { id: "a", tags: ["a"], right: [] };
    const look = makeLook({ ...facts(["x/train", "x/val"]), spec: one });
    const dashes = (count: number): (readonly number[] | undefined)[] =>
      strokesOf(
        one,
        Array.from({ length: count }, () => line("x/train", "a")),
        0,
        "light",
        look.color,
        look.dash,
      ).map((stroke) => stroke.dash);
    expect(dashes(1)).toEqual([[5, 3]]);
    expect(dashes(100)[0]).toEqual([]);
    expect(look.color("x/train", "a")).toBe("#6e96f6");
  });
});

describe("strokeStyle", () => {
  it("is lighter with more lines, and faint for lines in the back", () => {
    const alphas = [10, 100, 1000].map((lines) => strokeStyle(lines, "smoothed", "light").alpha);
    expect(alphas).toEqual([...alphas].sort((a, b) => b - a));
    expect(strokeStyle(10, "raw", "light").alpha).toBeLessThan(strokeStyle(1000, "smoothed", "light").alpha);
    expect(strokeStyle(10, "earlier", "light").alpha).toBeLessThan(0.5);
  });
});
