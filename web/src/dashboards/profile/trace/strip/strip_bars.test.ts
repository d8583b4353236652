import { expect, test } from "vitest";
import type { StripAnswer } from "../answer";
import { stripBars } from "./strip_bars";

const answer = (
  rows: readonly (readonly [place: number, category: number, pixel: number, share: number])[],
): StripAnswer => ({
  place: Int32Array.from(rows, ([place]) => place),
  category: Int32Array.from(rows, ([, category]) => category),
  pixel: Int32Array.from(rows, ([, , pixel]) => pixel),
  share: Float64Array.from(rows, ([, , , share]) => share),
  busy: 0.5,
});

test("devices are shown where there are any, stacked by meaning and never above the top", () => {
  const bars = stripBars(
    answer([
      [0, 0, 4, 1],
      [1, 1, 4, 0.5],
      [1, 2, 4, 0.25],
      [1, 2, 5, 1],
      [1, 1, 5, 1],
    ]),
    ["op", "copy", "convolution"],
  );
  expect(bars).toEqual([
    { pixel: 4, meaning: "copy", from: 0, to: 0.5 },
    { pixel: 4, meaning: "convolution", from: 0.5, to: 0.75 },
    { pixel: 5, meaning: "copy", from: 0, to: 0.5 },
    { pixel: 5, meaning: "convolution", from: 0.5, to: 1 },
  ]);
});

test("without a device the host is shown", () => {
  expect(stripBars(answer([[0, 0, 1, 0.5]]), ["op"])).toEqual([{ pixel: 1, meaning: "op", from: 0, to: 0.5 }]);
});
