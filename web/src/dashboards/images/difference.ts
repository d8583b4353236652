// The difference of two images, pixel by pixel, from their stored values. Pure.

import type { Pixels } from "./decode/decode";

export interface Difference {
  /** Absolute, of red, green and blue (grey counts as all three), with full opacity. */
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
  /** Share of pixels that differ at all. */
  readonly changed: number;
  /** In units of the stored values. */
  readonly mean: number;
  readonly max: number;
  /** Peak signal-to-noise ratio in decibels; infinite for equal pictures. */
  readonly psnr: number;
}

const ROWS_AT_ONCE = 256;

/** Why two images cannot be subtracted; null: they can. */
export function findObstacle(a: Pixels, b: Pixels): string | null {
  if (a.width !== b.width || a.height !== b.height)
    return `A has ${a.width} × ${a.height} pixels and B ${b.width} × ${b.height}.`;
  if (a.bitDepth !== b.bitDepth) return `A has ${a.bitDepth} bits per value and B ${b.bitDepth}.`;
  return null;
}

/** B − A of one pixel, in red, green and blue, or of one value where both are grey. */
export function differenceAt(a: Pixels, b: Pixels, x: number, y: number): number[] {
  const pixel = y * a.width + x;
  const colours = isGrey(a) && isGrey(b) ? 1 : 3;
  return Array.from({ length: colours }, (_, i) => colourOf(b, pixel, i) - colourOf(a, pixel, i));
}

const isGrey = ({ channels }: Pixels): boolean => channels < 3;
const colourOf = ({ values, channels }: Pixels, pixel: number, colour: number): number =>
  values[pixel * channels + (channels < 3 ? 0 : colour)] as number;

/** `gain` multiplies what is drawn. Works in slices, so that large images do not block the page. */
export async function subtract(a: Pixels, b: Pixels, gain: number, signal: AbortSignal): Promise<Difference> {
  const { width, height } = a;
  const full = 2 ** a.bitDepth - 1;
  const toByte = (gain * 255) / full;
  const rgba = new Uint8ClampedArray(width * height * 4);
  const colours = isGrey(a) && isGrey(b) ? 1 : 3;
  let changed = 0;
  let sum = 0;
  let squares = 0;
  let max = 0;
  for (let top = 0; top < height; top += ROWS_AT_ONCE) {
    const end = Math.min(height, top + ROWS_AT_ONCE) * width;
    for (let pixel = top * width; pixel < end; pixel++) {
      let isChanged = false;
      for (let i = 0; i < 3; i++) {
        const size = Math.abs(colourOf(b, pixel, i) - colourOf(a, pixel, i));
        rgba[pixel * 4 + i] = size * toByte;
        if (i >= colours || size === 0) continue;
        isChanged = true;
        sum += size;
        squares += size * size;
        if (size > max) max = size;
      }
      if (isChanged) changed++;
      rgba[pixel * 4 + 3] = 255;
    }
    if (end < width * height) await new Promise((done) => setTimeout(done));
    signal.throwIfAborted();
  }
  const count = width * height * colours;
  return {
    rgba,
    width,
    height,
    changed: changed / (width * height),
    mean: sum / count,
    max,
    psnr: squares === 0 ? Infinity : 10 * Math.log10((full * full * count) / squares),
  };
}
