import { expect, it } from "vitest";
import { rowAt, topsOf } from "./tall_list";

it("knows where rows of different heights stand", () => {
  const tops = topsOf([10, 30, 5]);
  expect([...tops]).toEqual([0, 10, 40, 45]);
  expect([-5, 0, 9, 10, 39, 40, 44, 45, 900].map((px) => rowAt(tops, px))).toEqual([0, 0, 0, 1, 1, 2, 2, 2, 2]);
});

it("has no row where there is none", () => {
  expect([...topsOf([])]).toEqual([0]);
  expect(rowAt(topsOf([]), 50)).toBe(0);
});
