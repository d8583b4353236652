// The outline of a waveform: minimum and maximum of every pixel column, at any zoom.

import type { Peaks } from "./sound";

export const BLOCK_FRAMES = 256;

export function blockPeaks(pcm: Float32Array): Peaks {
  const count = Math.ceil(pcm.length / BLOCK_FRAMES);
  const min = new Float32Array(count);
  const max = new Float32Array(count);
  for (let block = 0; block < count; block++) {
    [min[block], max[block]] = extremes(
      pcm,
      pcm,
      block * BLOCK_FRAMES,
      Math.min((block + 1) * BLOCK_FRAMES, pcm.length),
    );
  }
  return { min, max };
}

/** Neighbouring columns overlap by a frame, so that the line has no gaps. */
export function outline(pcm: Float32Array, blocks: Peaks, from: number, to: number, columns: number): Peaks {
  const min = new Float32Array(columns);
  const max = new Float32Array(columns);
  const width = (to - from) / columns;
  for (let column = 0; column < columns; column++) {
    const start = clamp(Math.floor(from + column * width), 0, pcm.length);
    const end = clamp(Math.floor(from + (column + 1) * width) + 1, start, pcm.length);
    [min[column], max[column]] = rangeExtremes(pcm, blocks, start, end);
  }
  return { min, max };
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

function rangeExtremes(pcm: Float32Array, blocks: Peaks, start: number, end: number): [number, number] {
  const first = Math.ceil(start / BLOCK_FRAMES);
  const last = Math.floor(end / BLOCK_FRAMES);
  if (last - first < 2) return extremes(pcm, pcm, start, end);
  const before = extremes(pcm, pcm, start, first * BLOCK_FRAMES);
  const inside = extremes(blocks.min, blocks.max, first, last);
  const after = extremes(pcm, pcm, last * BLOCK_FRAMES, end);
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
