import { describe, expect, it } from "vitest";
import { indexAt, indexOfKey, notchesOf, notchOf } from "./step_slider";

describe("a step slider", () => {
  it("has a notch for every value while they are few", () => {
    expect(notchesOf(200)).toBe(199);
    expect(indexAt(17, 200)).toBe(17);
    expect(notchOf(17, 200)).toBe(17);
    expect(notchesOf(0)).toBe(0);
  });

  it("reaches both ends of many values, and most of them from every notch", () => {
    const count = 50_000;
    expect(indexAt(0, count)).toBe(0);
    expect(indexAt(notchesOf(count), count)).toBe(count - 1);
    for (const index of [0, 1, 10, 400, 49_999])
      expect(indexAt(notchOf(index, count), count) / (index || 1)).toBeCloseTo(index ? 1 : 0, 1);
  });
});

it("goes with the arrow, page, Home and End keys, and with no other", () => {
  const keys = ["ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"];
  expect(keys.map((key) => indexOfKey(key, 20, 50))).toEqual([19, 21, 19, 21, 10, 30, 0, 50]);
  expect(["a", " ", "toString"].map((key) => indexOfKey(key, 20, 50))).toEqual([undefined, undefined, undefined]);
});
