// The outline of a waveform: the least and the greatest sample of every column of pixels, whatever the zoom.

import type { Peaks } from "./sound";

export const BLOCK_FRAMES = 256;

export function blockPeaks(samples: Float32Array): Peaks {
  const count = Math.ceil(samples.length / BLOCK_FRAMES);
  const min = new Float32Array(count);
  const max = new Float32Array(count);
  for (let block = 0; block < count; block++) {
    [min[block], max[block]] = extremes(
      samples,
      samples,
      block * BLOCK_FRAMES,
      Math.min((block + 1) * BLOCK_FRAMES, samples.length),
    );
  }
  return { min, max };
}

/**
 * The outline of the frames from one place to another, in so many columns. Neighbours overlap by a frame, so that a
 * line has no gaps.
 */
export function outline(samples: Float32Array, blocks: Peaks, from: number, to: number, columns: number): Peaks {
  const min = new Float32Array(columns);
  const max = new Float32Array(columns);
  const width = (to - from) / columns;
  for (let column = 0; column < columns; column++) {
    const start = clamp(Math.floor(from + column * width), 0, samples.length);
    const end = clamp(Math.floor(from + (column + 1) * width) + 1, start, samples.length);
    [min[column], max[column]] = rangeExtremes(samples, blocks, start, end);
  }
  return { min, max };
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

function rangeExtremes(samples: Float32Array, blocks: Peaks, start: number, end: number): [number, number] {
  const first = Math.ceil(start / BLOCK_FRAMES);
  const last = Math.floor(end / BLOCK_FRAMES);
  if (last - first < 2) return extremes(samples, samples, start, end);
  const before = extremes(samples, samples, start, first * BLOCK_FRAMES);
  const inside = extremes(blocks.min, blocks.max, first, last);
  const after = extremes(samples, samples, last * BLOCK_FRAMES, end);
  const parts = [
    inside,
    ...(start < first * BLOCK_FRAMES ? [before] : []),
    ...(last * BLOCK_FRAMES < end ? [after] : []),
  ];
  return [Math.min(...parts.map(([low]) => low)), Math.max(...parts.map(([, high]) => high))];
}

function extremes(lows: Float32Array, highs: Float32Array, start: number, end: number): [number, number] {
  if (start >= end) return [0, 0];
  let low = Infinity;
  let high = -Infinity;
  for (let i = start; i < end; i++) {
    const least = lows[i] as number;
    const greatest = highs[i] as number;
    if (least < low) low = least;
    if (greatest > high) high = greatest;
  }
  return [low, high];
}
