import { describe, expect, it } from "vitest";
import { drawOrder, makeDisc, makeRaster, nearestRow, radiusFor, type Raster, readHex, stamp } from "./points";

describe("points", () => {
  const at = ({ width, pixels }: Raster, x: number, y: number): number[] => [
    ...pixels.slice((y * width + x) * 4, (y * width + x) * 4 + 4),
  ];

  it("are discs with soft edges", () => {
    const image = makeRaster(5, 5);
    stamp(image, makeDisc(1.2), 2, 2, readHex("#ff8000"), 1);
    expect(at(image, 2, 2)).toEqual([255, 128, 0, 255]);
    expect(at(image, 2, 1)).toEqual([255, 128, 0, 178]);
    expect(at(image, 0, 0)).toEqual([0, 0, 0, 0]);
  });

  it("add up where they overlap, and end at the edge", () => {
    const image = makeRaster(5, 5);
    for (const row of [0, 1, 2]) stamp(image, makeDisc(1), 0, row === 2 ? 9 : 0, readHex("#000000"), 0.5);
    expect(at(image, 0, 0)).toEqual([0, 0, 0, 192]);
  });

  it("cover what is below them", () => {
    const image = makeRaster(5, 5);
    stamp(image, makeDisc(1), 2, 2, readHex("#ffffff"), 1);
    stamp(image, makeDisc(1), 2, 2, readHex("#0000ff"), 1);
    expect(at(image, 2, 2)).toEqual([0, 0, 255, 255]);
  });

  it("of four hundred thousand take a moment", () => {
    const image = makeRaster(1_200, 800);
    const disc = makeDisc(1.5);
    const start = performance.now();
    for (let i = 0; i < 400_000; i++)
      stamp(image, disc, (i * 7) % 1_200, (i * 13) % 800, { red: 1, green: 2, blue: 3 }, 1);
    expect(performance.now() - start).toBeLessThan(600);
  });

  it("are smaller the more there are", () => {
    expect([radiusFor(8, 40_000), radiusFor(500, 40_000), radiusFor(10_000, 40_000)]).toEqual([
      3.2,
      expect.closeTo(1.79, 2),
      1,
    ]);
  });
});

it("the nearest point is one that is included, if any is near", () => {
  const x = [0, 1, 40];
  const find = (included: Uint8Array, atX: number): number =>
    nearestRow(
      (row) => x[row] as number,
      () => 0,
      included,
      atX,
      0,
      10,
    );
  expect(find(Uint8Array.of(0, 1, 1), 0)).toBe(1);
  expect(find(Uint8Array.of(0, 0, 1), 0)).toBe(0);
  expect(find(Uint8Array.of(1, 1, 1), 20)).toBe(-1);
});

it("the best colours are drawn last, rows of one colour in order", () => {
  expect([...drawOrder(Uint8Array.of(3, 0, 3, 1, 0))]).toEqual([1, 4, 3, 0, 2]);
});
