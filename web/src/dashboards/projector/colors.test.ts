import { describe, expect, it } from "vitest";
import {
  asNumber,
  binNumbers,
  categoryColor,
  colorNumbers,
  makeLegend,
  MAX_COLORS,
  paletteOf,
  scaleOf,
} from "./colors";

describe("categories", () => {
  it("have colours of their own, as many as can be told apart", () => {
    for (const theme of ["light", "dark"] as const)
      expect(new Set(Array.from({ length: MAX_COLORS }, (_, i) => categoryColor(i, theme))).size).toBe(MAX_COLORS);
  });

  it("keep the order of the column while there are colours", () => {
    const legend = makeLegend(["b", "a", "none"], [1, 5, 0], "light");
    expect(legend.map(({ name, count }) => [name, count])).toEqual([
      ["b", 1],
      ["a", 5],
    ]);
    expect([...paletteOf(legend, 3, "light")].slice(0, 2)).toEqual(legend.map(({ color }) => asNumber(color)));
  });

  it("show the most frequent first where there are more", () => {
    const names = Array.from({ length: 40 }, (_, i) => `c${i}`);
    const legend = makeLegend(
      names,
      names.map((_, i) => i + 1),
      "dark",
    );
    expect(legend[0]?.name).toBe("c39");
    expect(legend.at(-1)?.color).toBe(categoryColor(MAX_COLORS, "dark"));
  });
});

describe("numbers", () => {
  it("are spread over the gradient without the few that lie far outside", () => {
    const numbers = Array.from({ length: 1_000 }, (_, i) => i / 1_000);
    expect(scaleOf([...numbers, NaN])).toEqual({ low: 0, high: 0.999 });
    expect(scaleOf([...numbers, 1e9])?.high).toBeLessThan(1.1);
    expect(scaleOf([NaN, Infinity])).toBeNull();
  });

  it("fall into bins, and are coloured in order", () => {
    const scale = { low: 0, high: 1 };
    expect([...binNumbers([0, 0.1, 0.5, 1, 7, NaN], scale, 4)]).toEqual([2, 0, 1, 2]);
    const [low, high, missing, same] = colorNumbers([0, 1, NaN, 0], scale, "light");
    expect(new Set([low, high, missing]).size).toBe(3);
    expect(same).toBe(low);
  });
});
