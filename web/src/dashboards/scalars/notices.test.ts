import { describe, expect, it } from "vitest";
import { toSeries } from "../../chart/model";
import type { CardLine } from "./card_lines.svelte";
import { findNonFinite } from "./notices";

const line = (run: string, y: number[], isRaw = false): CardLine => ({
  run, isRaw, generation: 1, total: y.length, series: toSeries(new Float64Array(y.map((_, i) => i * 100)), new Float64Array(y)),
});

describe("findNonFinite", () => {
  it("says nothing about ordinary numbers", () => {
    expect(findNonFinite([line("a", [1, 2, 3]), line("b", [])], "step")).toBeNull();
  });

  it("names the earliest, and each run in the detail", () => {
    const lines = [line("a", [1, 2, Number.NaN, Number.NaN]), line("b", [1, Number.POSITIVE_INFINITY, 2])];
    expect(findNonFinite(lines, "step")).toEqual({ text: "∞ @ 100", detail: "a: NaN from step 200\nb: ∞ from step 100" });
  });

  it("counts a run once and trusts its raw line", () => {
    const lines = [line("a", [1, Number.NaN], true), line("a", [1, 1])];
    expect(findNonFinite(lines, "step")?.detail).toBe("a: NaN from step 100");
  });
});
