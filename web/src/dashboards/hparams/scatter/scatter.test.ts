import { describe, expect, it } from "vitest";
import { cellAt, cellOrigin, layoutMatrix } from "./matrix_layout";
import { makeDisc, nearestRow, type Raster, readHex, stamp } from "./points";

describe("the matrix", () => {
  it("fills its room", () => {
    const layout = layoutMatrix(8, 5, { widthPx: 1_100, heightPx: 700 }, 60, 30);
    expect([layout.cellWidthPx, layout.cellHeightPx]).toEqual([124, 128]);
    expect(layout.widthPx).toBe(60 + 8 * 130);
  });

  it("is wider than its room rather than unreadable", () => {
    const layout = layoutMatrix(40, 2, { widthPx: 900, heightPx: 700 }, 60, 30);
    expect([layout.cellWidthPx, layout.cellHeightPx]).toEqual([92, 170]);
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

describe("points", () => {
  const raster = (): Raster => ({ width: 5, height: 5, pixels: new Uint8ClampedArray(100) });
  const at = ({ width, pixels }: Raster, x: number, y: number): number[] => [
    ...pixels.slice((y * width + x) * 4, (y * width + x) * 4 + 4),
  ];

  it("are discs with soft edges", () => {
    const image = raster();
    stamp(image, makeDisc(1.2), 2, 2, readHex("#ff8000"), 1);
    expect(at(image, 2, 2)).toEqual([255, 128, 0, 255]);
    expect(at(image, 2, 1)).toEqual([255, 128, 0, 178]);
    expect(at(image, 0, 0)).toEqual([0, 0, 0, 0]);
  });

  it("add up where they overlap, and end at the edge", () => {
    const image = raster();
    for (const row of [0, 1, 2]) stamp(image, makeDisc(1), 0, row === 2 ? 9 : 0, readHex("#000000"), 0.5);
    expect(at(image, 0, 0)).toEqual([0, 0, 0, 192]);
  });

  it("cover what is below them", () => {
    const image = raster();
    stamp(image, makeDisc(1), 2, 2, readHex("#ffffff"), 1);
    stamp(image, makeDisc(1), 2, 2, readHex("#0000ff"), 1);
    expect(at(image, 2, 2)).toEqual([0, 0, 255, 255]);
  });

  it("of four hundred thousand take a moment", () => {
    const image = { width: 1_200, height: 800, pixels: new Uint8ClampedArray(1_200 * 800 * 4) };
    const disc = makeDisc(1.5);
    const start = performance.now();
    for (let i = 0; i < 400_000; i++)
      stamp(image, disc, (i * 7) % 1_200, (i * 13) % 800, { red: 1, green: 2, blue: 3 }, 0.8);
    expect(performance.now() - start).toBeLessThan(900);
  });
});

it("the nearest point is one that is included, if any is near", () => {
  const x = [0, 1, 40];
  const find = (included: Uint8Array, atX: number): number =>
    nearestRow(
      (row) => x[row] as number,
      () => 0,
      3,
      included,
      atX,
      0,
      10,
    );
  expect(find(Uint8Array.of(0, 1, 1), 0)).toBe(1);
  expect(find(Uint8Array.of(0, 0, 1), 0)).toBe(0);
  expect(find(Uint8Array.of(1, 1, 1), 20)).toBe(-1);
});
