import { expect, test } from "vitest";
import { blockPeaks, outline } from "./peaks";

const noise = Float32Array.from({ length: 10_007 }, (_, i) => Math.sin(i * i * 0.37) * Math.sin(i / 900));

test.each([
  [0, noise.length, 40],
  [3, 9_001, 7],
  [500, 1_300, 300],
  [0, 10, 40],
])("frames %i to %i in %i columns hold every extreme", (from, to, columns) => {
  const { min, max } = outline(noise, blockPeaks(noise), from, to, columns);
  const width = (to - from) / columns;
  for (let column = 0; column < columns; column++) {
    const part = noise.subarray(Math.floor(from + column * width), Math.floor(from + (column + 1) * width) + 1);
    expect(min[column]).toBe(Math.min(...part));
    expect(max[column]).toBe(Math.max(...part));
  }
});

test("one loud sample in a long silence is seen", () => {
  const quiet = new Float32Array(1_000_000);
  quiet[777_777] = 0.5;
  const { max } = outline(quiet, blockPeaks(quiet), 0, quiet.length, 100);
  expect(max[77]).toBe(0.5);
  expect(max.filter((value) => value > 0)).toHaveLength(1);
});

test("beyond the clip there is silence", () => {
  const { min, max } = outline(noise, blockPeaks(noise), 20_000, 30_000, 5);
  expect([...min, ...max]).toEqual(Array(10).fill(0));
  expect(blockPeaks(new Float32Array()).min).toHaveLength(0);
});
