import { describe, expect, it } from "vitest";
import { addHandle, editText, moveHandle, nextPoint, parseX, removeHandle, settle } from "./step_handles";
import { toSeries } from "./model";

const line = (...x: number[]) => toSeries(new Float64Array(x), new Float64Array(x.length));

describe("step handles", () => {
  it("are added up to two, in order, at zero too", () => {
    expect(addHandle([], 0)).toEqual([0]);
    expect(addHandle([5], 0)).toEqual([0, 5]);
    expect(addHandle([5], 5)).toEqual([5]);
    expect(addHandle([1, 5], 3)).toEqual([1, 5]);
    expect(removeHandle([1, 5], 0)).toEqual([5]);
  });

  it("swap when one is moved across the other", () => {
    expect(moveHandle([1, 5], 0, 3)).toEqual({ selection: [3, 5], index: 0 });
    expect(moveHandle([1, 5], 0, 9)).toEqual({ selection: [5, 9], index: 1 });
    expect(moveHandle([1, 5], 1, -2)).toEqual({ selection: [-2, 1], index: 0 });
    expect(moveHandle([4], 0, 7)).toEqual({ selection: [7], index: 0 });
  });

  it("round to whole steps inside the axis", () => {
    expect(settle(3.4, "step", [0, 10])).toBe(3);
    expect(settle(99, "step", [0.5, 9.7])).toBe(9);
    expect(settle(-99, "step", [0.5, 9.7])).toBe(1);
    expect(settle(1.23456789, "relative", [0, 10])).toBe(1.23);
  });

  it("move from point to point over all lines", () => {
    const lines = [line(0, 10, 20), line(5, 10, 10), line(30, 7, 1)];
    expect([0, 5, 7, 10].map((x) => nextPoint(lines, x, 1))).toEqual([1, 7, 10, 20]);
    expect([10, 8, 0].map((x) => nextPoint(lines, x, -1))).toEqual([7, 7, null]);
    expect(nextPoint(lines, 30, 1)).toBeNull();
  });
});

describe("typed x values", () => {
  it("are numbers, with separators or without", () => {
    expect(["12000", " 12,000 ", "1_000_000", "−3", "1e3"].map((text) => parseX(text, "step"))).toEqual([
      12000, 12000, 1_000_000, -3, 1000,
    ]);
    expect(["", "abc", "1,2", "1 h"].map((text) => parseX(text, "step"))).toEqual([null, null, null, null]);
  });

  it("are durations and dates on the axes of time", () => {
    expect(["90", "1h 30m", "2 d", "1.5 m"].map((text) => parseX(text, "relative"))).toEqual([90, 5_400, 172_800, 90]);
    const at = new Date(2026, 10, 15, 9, 5, 7).getTime() / 1000;
    expect(editText(at, "wall")).toBe("2026-11-15 09:05:07");
    expect(parseX(editText(at, "wall"), "wall")).toBe(at);
    expect(parseX("yesterday", "wall")).toBeNull();
  });
});
