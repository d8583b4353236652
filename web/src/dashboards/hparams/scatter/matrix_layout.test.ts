import { describe, expect, it } from "vitest";
import { cellAt, cellOrigin, layoutMatrix } from "./matrix_layout";

describe("the matrix", () => {
  it("fills its room", () => {
    const layout = layoutMatrix(8, 5, { widthPx: 1_100, heightPx: 700 }, 60, 30);
    expect([layout.cellWidthPx, layout.cellHeightPx]).toEqual([124, 128]);
    expect(layout.widthPx).toBe(60 + 8 * 130);
  });

  it("is wider than its room rather than unreadable", () => {
    const layout = layoutMatrix(40, 2, { widthPx: 900, heightPx: 700 }, 60, 30);
    expect([layout.cellWidthPx, layout.cellHeightPx]).toEqual([92, 230]);
    expect(layout.widthPx).toBeGreaterThan(900);
  });

  it("finds the cell of a point, and none between", () => {
    const layout = layoutMatrix(3, 2, { widthPx: 900, heightPx: 700 }, 60, 30);
    const { xPx, yPx } = cellOrigin(layout, { column: 2, row: 1 });
    expect(cellAt(layout, 3, 2, xPx + 1, yPx + 1)).toEqual({ column: 2, row: 1 });
    expect(cellAt(layout, 3, 2, xPx - 3, yPx + 1)).toBeNull();
    expect(cellAt(layout, 3, 2, 20, yPx)).toBeNull();
    expect(cellAt(layout, 3, 2, xPx, 5_000)).toBeNull();
  });
});
