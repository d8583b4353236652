// How much of every frequency a clip has along time, in decibels, on a grid of pixels. Pure; runs in the worker but for
// the gathering of what it needs.

import { Fft } from "./fft";
import { meanOf } from "./sound";

export type FrequencyScale = "mel" | "log" | "linear";

/** The pieces of sound behind every column, and what to make of them. */
export interface SpectrumQuestion {
  /** `columns` × `perColumn` pieces of `size` samples. */
  readonly pieces: Float32Array;
  readonly columns: number;
  readonly perColumn: number;
  readonly size: number;
  readonly sampleRate: number;
  readonly rows: number;
  readonly scale: FrequencyScale;
  /** What is shown at full strength; silence is RANGE_DB below. */
  readonly topDb: number;
}

export const RANGE_DB = 80;
const PIECE_S = 0.04;
const LOWEST_HZ = 20;
const MOST_PIECES = 8;
const MOST_SAMPLES = 4_000_000;

/** A power of two near 40 ms: tones a note apart are told from each other, and so are syllables. */
export function pieceSize(sampleRate: number): number {
  return 2 ** Math.min(Math.max(Math.round(Math.log2(sampleRate * PIECE_S)), 6), 12);
}

/**
 * Half-overlapping pieces from the frames of each column, spread evenly where the column has more than can be looked
 * at.
 */
export function gatherPieces(
  channels: readonly Float32Array[],
  from: number,
  to: number,
  columns: number,
  size: number,
): { pieces: Float32Array; perColumn: number } {
  const width = (to - from) / columns;
  const perColumn = Math.min(
    Math.max(Math.ceil(width / (size / 2)), 1),
    MOST_PIECES,
    Math.max(1, Math.floor(MOST_SAMPLES / (columns * size))),
  );
  const pieces = new Float32Array(columns * perColumn * size);
  for (let i = 0; i < columns * perColumn; i++) {
    const center = from + ((i + 0.5) * width) / perColumn;
    meanOf(channels, Math.round(center - size / 2), size, pieces.subarray(i * size, (i + 1) * size));
  }
  return { pieces, perColumn };
}

/**
 * Rows from the highest frequency down; 0 is silence and 255 the full strength. Of several pieces the strongest counts.
 */
export function spectrum({
  pieces,
  columns,
  perColumn,
  size,
  sampleRate,
  rows,
  scale,
  topDb,
}: SpectrumQuestion): Uint8ClampedArray<ArrayBuffer> {
  const fft = new Fft(size);
  const window = Float32Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
  // A sine of full size has 0 dB.
  const full = (window.reduce((sum, weight) => sum + weight, 0) / 2) ** 2;
  const bands = bandsOf(rows, size, sampleRate, scale);
  const power = new Float64Array(size / 2 + 1);
  const strongest = new Float64Array(size / 2 + 1);
  const levels = new Uint8ClampedArray(rows * columns);
  for (let column = 0; column < columns; column++) {
    strongest.fill(0);
    for (let piece = 0; piece < perColumn; piece++) {
      const start = (column * perColumn + piece) * size;
      fft.power(pieces.subarray(start, start + size), window, power);
      for (let i = 0; i < power.length; i++)
        if ((power[i] as number) > (strongest[i] as number)) strongest[i] = power[i] as number;
    }
    for (let row = 0; row < rows; row++) {
      const dB = 10 * Math.log10(bandPower(strongest, bands[2 * row] as number, bands[2 * row + 1] as number) / full);
      levels[row * columns + column] = ((dB - topDb) / RANGE_DB + 1) * 255;
    }
  }
  return levels;
}

/** The lower and upper end of every row, in frequencies of the transform. */
function bandsOf(rows: number, size: number, sampleRate: number, scale: FrequencyScale): Float64Array {
  const bands = new Float64Array(2 * rows);
  for (let row = 0; row < rows; row++) {
    bands[2 * row] = (frequencyAt(scale, 1 - (row + 1) / rows, sampleRate) * size) / sampleRate;
    bands[2 * row + 1] = (frequencyAt(scale, 1 - row / rows, sampleRate) * size) / sampleRate;
  }
  return bands;
}

function bandPower(power: Float64Array, low: number, high: number): number {
  const first = Math.ceil(low);
  const last = Math.min(Math.floor(high), power.length - 1);
  if (last < first) {
    // Narrower than a step of the transform: between its neighbours.
    const middle = Math.min((low + high) / 2, power.length - 1);
    const below = Math.floor(middle);
    const above = Math.min(below + 1, power.length - 1);
    return (power[below] as number) + ((power[above] as number) - (power[below] as number)) * (middle - below);
  }
  let most = 0;
  for (let i = first; i <= last; i++) most = Math.max(most, power[i] as number);
  return most;
}

const toMel = (hz: number): number => 2_595 * Math.log10(1 + hz / 700);
const fromMel = (mel: number): number => 700 * (10 ** (mel / 2_595) - 1);

/** From the bottom of the picture, 0, to its top, 1. */
export function frequencyAt(scale: FrequencyScale, ratio: number, sampleRate: number): number {
  const top = sampleRate / 2;
  switch (scale) {
    case "mel":
      return fromMel(ratio * toMel(top));
    case "log":
      return LOWEST_HZ * (top / LOWEST_HZ) ** ratio;
    case "linear":
      return ratio * top;
    default:
      return scale satisfies never;
  }
}

export function ratioOf(scale: FrequencyScale, hz: number, sampleRate: number): number {
  const top = sampleRate / 2;
  switch (scale) {
    case "mel":
      return toMel(hz) / toMel(top);
    case "log":
      return Math.log(hz / LOWEST_HZ) / Math.log(top / LOWEST_HZ);
    case "linear":
      return hz / top;
    default:
      return scale satisfies never;
  }
}
