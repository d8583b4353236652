import { describe, expect, it } from "vitest";
import { keyAction, tidyRange } from "./gestures";

const area = { left: 0, top: 0, right: 100, bottom: 50 };
const press = (key: string, pointer: { x: number; y: number } | null = null, isLeap = false) =>
  keyAction(key, isLeap, pointer, area, [0, 1000]);

describe("keyAction", () => {
  it("moves the pointer from the middle and keeps it inside", () => {
    expect(press("ArrowRight")).toEqual({ move: { x: 58, y: 25 } });
    expect(press("ArrowRight", { x: 97, y: 10 }, true)).toEqual({ move: { x: 100, y: 10 } });
    expect(press("ArrowUp", { x: 5, y: 3 })).toEqual({ move: { x: 5, y: 0 } });
  });

  it("zooms around the pointer", () => {
    expect(press("+", { x: 20, y: 0 })).toEqual({ zoom: [-50, 450] });
    expect(press("-")).toEqual({ zoom: [-500, 1500] });
  });

  it("knows its other keys and leaves the rest to the page", () => {
    expect(["0", "Enter", "Escape", "Tab", "a"].map((key) => press(key))).toEqual(["reset", "pin", "release", null, null]);
  });
});

describe("tidyRange", () => {
  it("rounds outwards", () => {
    expect(tidyRange([10.4, 20.2], "step")).toEqual([10, 21]);
    expect(tidyRange([1.23456, 2], "relative")).toEqual([1.234, 2]);
  });
});
