import { describe, expect, it } from "vitest";
import { MeanPainter, packColor, paintDensity, paintLines } from "./draw";

const image = (width: number, height: number): ImageData =>
  ({ width, height, data: new Uint8ClampedArray(width * height * 4) }) as ImageData;
const axes = [
  { x: 0, ys: Float32Array.of(2, 2, 0) },
  { x: 10, ys: Float32Array.of(2, 2, 19) },
];

describe("paintLines", () => {
  it("lets later rows cover earlier ones", () => {
    const picture = image(10, 20);
    const colors = Uint32Array.of(packColor("#112233"), packColor("#445566"));
    paintLines(picture, axes, Uint32Array.of(0, 1), Uint8Array.of(0, 1, 0), colors, 1);
    const pixels = new Uint32Array(picture.data.buffer);
    expect([...pixels.subarray(20, 30)]).toEqual(Array.from({ length: 10 }, () => packColor("#445566")));
    expect(pixels.filter(Boolean)).toHaveLength(10);
    expect([...picture.data.subarray(80, 84)]).toEqual([0x44, 0x55, 0x66, 255]);
  });

  it("has no holes in a steep line, and stays inside the picture", () => {
    const picture = image(8, 20);
    paintLines(picture, axes, Uint32Array.of(2), Uint8Array.of(0, 0, 0), Uint32Array.of(packColor("#ffffff")), 1);
    const pixels = new Uint32Array(picture.data.buffer);
    const rowsHit = new Set([...pixels.keys()].filter((at) => pixels[at]).map((at) => Math.floor(at / 8)));
    const last = Math.max(...rowsHit);
    expect(rowsHit.size).toBe(last + 1);
  });
});

describe("paintDensity", () => {
  it("is more opaque where lines meet", () => {
    const picture = image(10, 20);
    paintDensity(picture, axes, Uint32Array.of(0, 1, 2), [1, 2, 3], 0.25, 1);
    const alpha = (x: number, y: number): number => picture.data[(y * 10 + x) * 4 + 3] as number;
    expect(alpha(0, 2)).toBe(Math.round(255 * (1 - 0.75 ** 2)));
    expect(alpha(0, 0)).toBe(64);
    expect(alpha(0, 10)).toBe(0);
  });

  it("paints the same lines in a smaller picture", () => {
    const picture = image(5, 10);
    paintDensity(picture, axes, Uint32Array.of(0, 1), [1, 2, 3], 0.25, 2);
    const opaque = [...picture.data.keys()].filter((at) => at % 4 === 3 && picture.data[at] !== 0);
    expect(opaque).toEqual([0, 1, 2, 3, 4].map((x) => (1 * 5 + x) * 4 + 3));
  });
});

describe("MeanPainter", () => {
  it("mixes the colours of lines that meet, without those that have none", () => {
    const picture = image(10, 20);
    const colors = Uint32Array.from(["#000000", "#111111", "#222222", "#999999"], packColor);
    const flat = [0, 10].map((x) => ({ x, ys: Float32Array.of(2, 2, 2, 8) }));
    new MeanPainter().paint(picture, flat, Uint32Array.of(0, 1, 2, 3), Uint8Array.of(0, 2, 3, 2), colors, 3, 1);
    const at = (x: number, y: number): number[] => [...picture.data.subarray((y * 10 + x) * 4, (y * 10 + x) * 4 + 4)];
    expect(at(5, 2)).toEqual([0x11, 0x11, 0x11, Math.round(255 * (1 - 0.6 ** 2))]);
    expect(at(5, 8)).toEqual([0x22, 0x22, 0x22, Math.round(255 * 0.4)]);
    expect(at(5, 5)).toEqual([0, 0, 0, 0]);
  });

  it("paints the same whatever it painted before", () => {
    const colors = Uint32Array.from(["#000000", "#111111", "#999999"], packColor);
    const codes = Uint8Array.of(0, 1, 1, 2);
    const bent = [0, 7, 10].map((x) => ({ x, ys: Float32Array.of(2, x, 19 - x, 4) }));
    const moved = bent.map(({ x, ys }) => ({ x, ys: ys.map((y) => y / 2) }));
    const paint = (painter: MeanPainter, axes: typeof bent, rows: number[], step: number): number[] => {
      const picture = image(10 / step, 20 / step);
      painter.paint(picture, axes, Uint32Array.from(rows), codes, colors, 2, step);
      return [...picture.data];
    };
    const painter = new MeanPainter();
    for (const [axes, rows, step] of [
      [bent, [0, 1, 2, 3], 1],
      [bent, [0, 2, 3], 1],
      [bent, [1, 2], 1],
      [bent, [1, 2], 2],
      [moved, [1, 2], 2],
      [moved, [], 2],
      [moved, [0], 2],
    ] as const)
      expect(paint(painter, axes as typeof bent, [...rows], step)).toEqual(
        paint(new MeanPainter(), axes as typeof bent, [...rows], step),
      );
  });
});
