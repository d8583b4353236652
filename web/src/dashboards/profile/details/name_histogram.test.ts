import { expect, test } from "vitest";
import { binOf } from "./name_histogram";

test("a bin includes its lower edge, the last one also its upper", () => {
  expect([0, 1, 1.9, 2, 3].map((value) => binOf([0, 1, 2, 3], value))).toEqual([0, 1, 1, 2, 2]);
  expect([-1, 4].map((value) => binOf([0, 1, 2, 3], value))).toEqual([-1, -1]);
  expect(binOf([], 1)).toBe(-1);
});
