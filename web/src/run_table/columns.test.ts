import { describe, expect, it } from "vitest";
import type { RunColumn } from "../state/view/view";
import { fitColumn, layOutColumns, moveColumn, nextSort, withoutColumn } from "./columns";

const [a, b, c] = ["a", "b", "c"].map((name): RunColumn => ({ kind: "hparam", name })) as [
  RunColumn,
  RunColumn,
  RunColumn,
];

describe("columns of the run table", () => {
  it("have the widths that the user set, and the names the rest", () => {
    expect(layOutColumns([a, b], { "hparam;b": 50 })).toEqual({
      tracks: "minmax(150px, 1fr) 78px 50px",
      minWidthPx: 278,
    });
    expect(layOutColumns([], { name: 90 })).toEqual({ tracks: "minmax(90px, 1fr)", minWidthPx: 90 });
  });

  it("fit their content within limits, unless the user resized them", () => {
    expect([fitColumn(40, 50), fitColumn(90, 10), fitColumn(1, 1), fitColumn(900, 9)]).toEqual([78, 108, 52, 180]);
    expect(layOutColumns([a, b], { "hparam;b": 50 }, [60, 99]).tracks).toBe("minmax(150px, 1fr) 60px 50px");
  });

  it("move within their ends", () => {
    expect(moveColumn([a, b, c], 0, 2)).toEqual([b, c, a]);
    expect(moveColumn([a, b, c], 2, 0)).toEqual([c, a, b]);
    expect(moveColumn([a, b, c], 0, -1)).toEqual([a, b, c]);
    expect(moveColumn([a, b, c], 2, 3)).toEqual([a, b, c]);
    expect(withoutColumn([a, b, c], { kind: "hparam", name: "b" })).toEqual([a, c]);
  });

  it("sort ascending, descending, and not at all", () => {
    const up = nextSort(null, "x");
    const down = nextSort(up, "x");
    expect([up, down, nextSort(down, "x")]).toEqual([
      { column: "x", isDescending: false },
      { column: "x", isDescending: true },
      null,
    ]);
    expect(nextSort(down, "y")).toEqual({ column: "y", isDescending: false });
    expect(nextSort(null, "name")).toEqual({ column: "name", isDescending: true });
    expect(nextSort({ column: "name", isDescending: true }, "name")).toBeNull();
    expect(nextSort(up, "name")).toEqual({ column: "name", isDescending: false });
  });
});
