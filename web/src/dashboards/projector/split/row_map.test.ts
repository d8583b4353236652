import { expect, test } from "vitest";
import { carry, carryBack, carryRows, mapByLabel } from "./row_map";

const map = mapByLabel(["king", "queen", "man", null], ["man", "sea", "king", "king", null]);

test("rows with the same label belong together", () => {
  expect([...map.there]).toEqual([2, -1, 0, -1]);
  expect([...map.back]).toEqual([2, -1, 0, 0, -1]);
});

test("what rows have is carried to the other embedding, and a selection there back", () => {
  expect([...carry(Uint32Array.of(7, 8, 9, 6), map, 1)]).toEqual([9, 1, 7, 7, 1]);
  expect([...carryBack(Uint8Array.of(1, 1, 0, 0, 1), map)]).toEqual([0, 0, 1, 0]);
  expect([...carryRows([0, 1, 2], map)]).toEqual([2, 0]);
  // As many rows in both: nothing changes.
  const mask = Uint8Array.of(1, 0);
  expect(carry(mask, null, 0)).toBe(mask);
  expect(carryBack(mask, null)).toBe(mask);
  expect([...carryRows([1], null)]).toEqual([1]);
});
