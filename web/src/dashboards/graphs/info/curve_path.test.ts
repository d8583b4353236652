import { expect, test } from "vitest";
import { curvePath } from "./curve_path";

const SIZE = { widthPx: 100, heightPx: 28 };

test("draws values between their lowest and highest, with gaps", () => {
  const { path, points } = curvePath([0, 5, 10, 20], [1, null, 3, 2], SIZE);
  expect(path).toBe("M0 24M50 4L100 14");
  expect(points).toEqual([
    [0, 24],
    [25, null],
    [50, 4],
    [100, 14],
  ]);
});

test("one value, equal values and none at all", () => {
  expect(curvePath([7], [2], SIZE).path).toBe("M50 14");
  expect(curvePath([0, 1], [2, 2], SIZE).path).toBe("M0 14L100 14");
  expect(curvePath([0, 1], [null, Number.NaN], SIZE).path).toBe("");
});
