import { describe, expect, it } from "vitest";
import { countOut } from "./legend_count";

const entry = (left: number, top: number) => ({ left, top, right: left + 50, bottom: top + 18 });
const BOX = { left: 0, top: 0, right: 200, bottom: 40 };

describe("countOut", () => {
  it("counts what a line leaves out, with what the number covers", () => {
    expect(
      countOut(
        [0, 50, 100, 150].map((left) => entry(left, 0)),
        BOX,
        "line",
      ),
    ).toBe(0);
    // The fourth fits, but the number stands on it.
    expect(
      countOut(
        [0, 50, 100, 150, 200].map((left) => entry(left, 0)),
        BOX,
        "line",
      ),
    ).toBe(2);
  });

  it("counts the rows below the end", () => {
    expect(
      countOut(
        [0, 20].map((top) => entry(0, top)),
        BOX,
        "rows",
      ),
    ).toBe(0);
    expect(
      countOut(
        [0, 20, 38, 56].map((top) => entry(0, top)),
        BOX,
        "rows",
      ),
    ).toBe(2);
  });

  it("counts nothing once it is scrolled to the end", () => {
    expect(
      countOut(
        [-100, -50, 0, 50, 150].map((left) => entry(left, 0)),
        BOX,
        "line",
      ),
    ).toBe(0);
  });
});
