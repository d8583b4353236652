import { describe, expect, it } from "vitest";
import { placeTip } from "./tip_place";

const WINDOW = { widthPx: 1000, heightPx: 600 };

describe("placeTip", () => {
  it("goes to the right of the pointer, or to the left without room there", () => {
    expect(placeTip({ clientX: 100, clientY: 300 }, { widthPx: 200, heightPx: 100 }, WINDOW)).toEqual({
      leftPx: 118,
      topPx: 250,
    });
    expect(placeTip({ clientX: 900, clientY: 300 }, { widthPx: 200, heightPx: 100 }, WINDOW)).toEqual({
      leftPx: 682,
      topPx: 250,
    });
  });

  it("goes below or above the pointer without room on either side", () => {
    expect(placeTip({ clientX: 500, clientY: 100 }, { widthPx: 900, heightPx: 100 }, WINDOW)).toEqual({
      leftPx: 92,
      topPx: 118,
    });
    expect(placeTip({ clientX: 500, clientY: 550 }, { widthPx: 900, heightPx: 100 }, WINDOW)).toEqual({
      leftPx: 92,
      topPx: 432,
    });
  });

  it("stays inside the window", () => {
    expect(placeTip({ clientX: 100, clientY: 2 }, { widthPx: 200, heightPx: 100 }, WINDOW).topPx).toBe(8);
    expect(placeTip({ clientX: 100, clientY: 598 }, { widthPx: 200, heightPx: 100 }, WINDOW).topPx).toBe(492);
  });
});
