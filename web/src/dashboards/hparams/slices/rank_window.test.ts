import { expect, it } from "vitest";
import { RankWindow, ranksOf } from "./rank_window";

it("ranks leave out what is no value", () => {
  const { sorted, of } = ranksOf(Float64Array.of(5, Number.NaN, -1, 5));
  expect([[...sorted], of[1], of[2]]).toEqual([[-1, 5, 5], -1, 0]);
  expect(new Set([of[0], of[3]])).toEqual(new Set([1, 2]));
});

it("a moving window has the median and the ends of a sorted one", () => {
  let seed = 11;
  const values = Float64Array.from({ length: 500 }, () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.round(seed / 2 ** 24);
  });
  const window = new RankWindow(ranksOf(values));
  for (let row = 0; row < 37; row++) window.add(row);
  for (let start = 0; ; start++) {
    const sorted = values.slice(start, start + 37).sort();
    expect([window.median, window.at(0), window.at(36)]).toEqual([sorted[18], sorted[0], sorted[36]]);
    if (start + 37 === values.length) break;
    window.remove(start);
    window.add(start + 37);
  }
});

it("the median of an even number lies between two", () => {
  const window = new RankWindow(ranksOf(Float64Array.of(1, 2, 10, 20)));
  for (const row of [0, 1, 2, 3]) window.add(row);
  expect([window.size, window.median]).toEqual([4, 6]);
});
