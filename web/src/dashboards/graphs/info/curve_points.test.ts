import { expect, test } from "vitest";
import { pathThrough } from "../../step_curve";
import { curvePoints } from "./curve_points";

const SIZE = { widthPx: 100, heightPx: 28 };

test("draws values between their lowest and highest, with gaps", () => {
  const points = curvePoints([0, 5, 10, 20], [1, null, 3, 2], SIZE);
  expect(pathThrough(points)).toBe("M0 24M50 4L100 14");
  expect(points).toEqual([
    [0, 24],
    [25, null],
    [50, 4],
    [100, 14],
  ]);
});

test("one value, equal values and none at all", () => {
  expect(pathThrough(curvePoints([7], [2], SIZE))).toBe("M50 14");
  expect(pathThrough(curvePoints([0, 1], [2, 2], SIZE))).toBe("M0 14L100 14");
  expect(pathThrough(curvePoints([0, 1], [null, Number.NaN], SIZE))).toBe("");
});
