// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { settleWidth } from "./side_width";

describe("the side panel's width", () => {
  it("stays between 200 px and 60 % of the window", () => {
    expect([100, 250.4, 5_000].map((px) => settleWidth(px, 1_000).widthPx)).toEqual([200, 250, 600]);
    expect(settleWidth(400, 300).widthPx).toBe(200);
  });

  it("is nothing once it is drawn to the edge", () => {
    expect([76, 75, -10].map((px) => settleWidth(px, 1_000).isShut)).toEqual([false, true, true]);
  });
});
