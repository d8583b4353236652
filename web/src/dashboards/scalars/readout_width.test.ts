// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";

import { readoutPx } from "./readout_width";

// Without a canvas, a letter is taken to be 7.2 px wide: a column of values has 65, swatch and gaps 31.
vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
const one = (name: string, cardPx: number): number => Math.round(readoutPx(["a", name], false, cardPx));

describe("width of a readout", () => {
  it("has room for values and the step where names are short", () => {
    expect(one("b", 540)).toBe(one("12345678901", 540));
  });

  it("holds whole names while half of the card is left to the chart", () => {
    expect(one("adam-lr1e-4-seed00", 540) - one("adam-lr1e-4-seed", 540)).toBe(14);
    expect(one("a".repeat(99), 540)).toBe(270);
    expect(one("a".repeat(99), 1_090)).toBe(316);
  });

  it("leaves a name some letters in a narrow card", () => {
    expect(readoutPx(["a".repeat(99)], true, 300)).toBe(readoutPx(["a"], true, 300));
  });
});
