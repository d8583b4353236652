// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { fitWidth, settleWidth } from "./SidePanel.svelte";

describe("the side panel's width", () => {
  it("stays between 200 px and 60 % of the window", () => {
    expect([100, 250.4, 5_000].map((px) => settleWidth(px, 1_000).widthPx)).toEqual([200, 250, 600]);
    expect(settleWidth(400, 300).widthPx).toBe(200);
  });

  it("grows with the columns up to 40 % of the window", () => {
    expect([0, 2, 9].map((count) => fitWidth(count, 1_440))).toEqual([300, 456, 576]);
    expect(fitWidth(9, 600)).toBe(300);
  });

  it("collapses when it is dragged to the edge", () => {
    expect([76, 75, -10].map((px) => settleWidth(px, 1_000).isCollapsed)).toEqual([false, true, true]);
  });
});
