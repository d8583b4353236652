import { describe, expect, it } from "vitest";
import { HUES, PALETTE } from "../../state/runs/colors";
import { distance, toOklab } from "../../state/runs/oklab";
import { shadesOf } from "./card_colors";

describe("shadesOf", () => {
  it.each(["light", "dark"] as const)("keeps the oldest ridge visible, and the order of the others (%s)", (theme) => {
    const surface = toOklab(theme === "light" ? "#ffffff" : "#151a22");
    for (const color of PALETTE.slice(0, HUES)) {
      const far = shadesOf(color[theme], 8, theme).map((shade) => distance(toOklab(shade), surface));
      expect(far[0], color[theme]).toBeGreaterThan(0.15);
      expect(far).toEqual(far.toSorted((a, b) => a - b));
      expect(far.at(-1)).toBeCloseTo(distance(toOklab(color[theme]), surface));
    }
    expect(shadesOf("#2663f1", 1, theme)).toEqual(["#2663f1"]);
  });
});
