import { describe, expect, it } from "vitest";
import {
  drawOrder,
  makeDisc,
  makeRaster,
  nearestRow,
  paintAll,
  radiusFor,
  type Raster,
  readHex,
  stamp,
} from "./points";

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

  it("of one colour are darker where they are dense", () => {
    const image = makeRaster(7, 7);
    const cloud = { x: Float32Array.of(0.5, 0.5, Number.NaN), y: Float32Array.of(0.5, 0.5, 0), disc: makeDisc(0.5) };
    paintAll(image, [[{ left: 0, top: 0, width: 6, height: 6 }, cloud]], readHex("#102030"), 0.5);
    expect(at(image, 3, 3)).toEqual([16, 32, 48, 191]);
    expect(image.pixels.filter((value) => value > 0)).toHaveLength(4);
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

it("rows without a colour are drawn first, the best last, and those of one colour in order", () => {
  expect([...drawOrder(Uint8Array.of(3, 0, 4, 3, 1, 0), 5)]).toEqual([2, 1, 5, 4, 0, 3]);
});
