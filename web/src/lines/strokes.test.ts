import { describe, expect, it } from "vitest";
import { toSeries } from "../chart/model";
import type { CardLine, LineRole } from "./card_model";
import { strokesOf, strokeStyle } from "./strokes";

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

describe("strokeStyle", () => {
  it("is lighter with more lines, and faint for lines in the back", () => {
    const alphas = [10, 100, 1000].map((lines) => strokeStyle(lines, "smoothed", "light").alpha);
    expect(alphas).toEqual([...alphas].sort((a, b) => b - a));
    expect(strokeStyle(10, "raw", "light").alpha).toBeLessThan(strokeStyle(1000, "smoothed", "light").alpha);
    expect(strokeStyle(10, "earlier", "light").alpha).toBeLessThan(0.5);
  });
});
