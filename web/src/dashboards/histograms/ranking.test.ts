import { expect, it } from "vitest";
import { type RankedSeries, sortRanking } from "./ranking";

const row = (tag: string, over: Partial<RankedSeries>): RankedSeries => ({
  run: "a",
  tag,
  step: 1,
  other_step: 0,
  distance: 1,
  relative: 1,
  zeros_at_least: 0,
  zeros_at_most: 0,
  saturation: 0,
  not_finite: 0,
  problem: null,
  ...over,
});

it("ranks by a column, what is unknown last either way", () => {
  const rows = [
    row("a", { relative: 1, zeros_at_most: 0.9 }),
    row("b", { relative: null }),
    row("c", { relative: "Infinity" }),
    row("d", { relative: 3 }),
  ];
  const tags = (sorted: readonly RankedSeries[]): string => sorted.map(({ tag }) => tag).join("");
  expect(tags(sortRanking(rows, "relative", false))).toBe("cdab");
  expect(tags(sortRanking(rows, "relative", true))).toBe("adcb");
  expect(tags(sortRanking(rows, "zeros", false))).toBe("abcd");
});
