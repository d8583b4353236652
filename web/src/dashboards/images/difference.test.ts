import { expect, test } from "vitest";
import type { Pixels } from "./decode/decode";
import { differenceAt, findObstacle, subtract } from "./difference";

const { signal } = new AbortController();

function pixels(width: number, channels: number, values: number[], bitDepth = 8): Pixels {
  return {
    width,
    height: values.length / width / channels,
    channels,
    bitDepth,
    values: bitDepth > 8 ? Uint16Array.from(values) : Uint8Array.from(values),
  };
}

test("equal pictures differ by nothing", async () => {
  const a = pixels(2, 3, [1, 2, 3, 4, 5, 6]);
  const found = await subtract(a, a, 1, signal);
  expect(found).toMatchObject({ changed: 0, mean: 0, max: 0, psnr: Infinity });
  expect([...found.rgba]).toEqual([0, 0, 0, 255, 0, 0, 0, 255]);
});

test("differences are absolute when drawn and signed when read", async () => {
  const a = pixels(2, 3, [10, 20, 30, 0, 0, 0]);
  const b = pixels(2, 3, [15, 20, 10, 0, 0, 0]);
  const found = await subtract(a, b, 4, signal);
  expect([...found.rgba.slice(0, 4)]).toEqual([20, 0, 80, 255]);
  expect(found).toMatchObject({ changed: 0.5, max: 20 });
  expect(found.mean).toBeCloseTo(25 / 6);
  expect(found.psnr).toBeCloseTo(10 * Math.log10((255 ** 2 * 6) / 425));
  expect(differenceAt(a, b, 0, 0)).toEqual([5, 0, -20]);
});

test("sixteen bits are exact", async () => {
  const a = pixels(2, 1, [0, 1000], 16);
  const b = pixels(2, 1, [1, 65535], 16);
  expect(await subtract(a, b, 1, signal)).toMatchObject({ changed: 1, max: 64535, mean: 32268 });
  expect(differenceAt(a, b, 0, 0)).toEqual([1]);
});

test("grey is compared with colour, sizes and depths are not", () => {
  const grey = pixels(1, 1, [7]);
  expect(differenceAt(grey, pixels(1, 4, [7, 8, 9, 255]), 0, 0)).toEqual([0, 1, 2]);
  expect(findObstacle(grey, pixels(1, 4, [7, 8, 9, 255]))).toBeNull();
  expect(findObstacle(grey, pixels(1, 1, [7], 16))).toContain("16");
  expect(findObstacle(grey, pixels(2, 1, [7, 7]))).toContain("2 × 1");
});

test("a large picture is subtracted whole", async () => {
  const a = pixels(2, 1, new Array(2 * 700).fill(0));
  const b = pixels(2, 1, new Array(2 * 700).fill(3));
  expect(await subtract(a, b, 1, signal)).toMatchObject({ changed: 1, mean: 3, max: 3 });
});
