import { describe, expect, it } from "vitest";
import { type Box, placeBeside, placeTip } from "./tip_place";

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

describe("placeBeside", () => {
  const box = (left: number, top: number, widthPx: number, heightPx: number): Box => ({
    left,
    top,
    right: left + widthPx,
    bottom: top + heightPx,
  });
  const tip = { widthPx: 200, heightPx: 100 };
  const isApart = (card: Box, at: { leftPx: number; topPx: number } | null): boolean =>
    at !== null &&
    (at.leftPx >= card.right ||
      at.leftPx + tip.widthPx <= card.left ||
      at.topPx >= card.bottom ||
      at.topPx + tip.heightPx <= card.top);

  it("covers no part of its card, wherever that is", () => {
    for (let left = 0; left <= 700; left += 50)
      for (let top = 0; top <= 400; top += 50) {
        const card = box(left, top, 300, 200);
        expect(isApart(card, placeBeside(card, tip, WINDOW, [], null)), `${left} ${top}`).toBe(true);
      }
  });

  it("goes where it covers least of the other cards", () => {
    const card = box(300, 20, 300, 200);
    const right = box(606, 20, 300, 200);
    expect(placeBeside(card, tip, WINDOW, [], null)).toEqual({ side: "right", leftPx: 606, topPx: 20 });
    expect(placeBeside(card, tip, WINDOW, [right], null)).toEqual({ side: "left", leftPx: 94, topPx: 20 });
    const left = box(0, 20, 294, 500);
    expect(placeBeside(card, tip, WINDOW, [right, left], null)?.side).toBe("below");
  });

  it("stays on its side while it fits there", () => {
    const card = box(300, 20, 300, 200);
    expect(placeBeside(card, tip, WINDOW, [], "below")?.side).toBe("below");
    expect(placeBeside(box(300, 380, 300, 200), tip, WINDOW, [], "below")?.side).toBe("right");
  });

  it("has no place beside a card that fills the window", () => {
    expect(placeBeside(box(0, 0, 1000, 600), tip, WINDOW, [], null)).toBeNull();
  });
});
