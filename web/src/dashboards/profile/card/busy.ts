// What the time of a profile went to, pixel by pixel: a stacked picture and the shares of the whole.

import type { Category } from "../answer";
import type { StripAnswer } from "../trace/answer";
import { isMeaning, PALETTES, type Theme } from "../trace/colors";

const DEVICE = 1;
const HOST = 0;

export interface MeaningShare {
  readonly meaning: string;
  /** Of all busy time. */
  readonly share: number;
}

/** The largest first. */
export function meaningShares(
  { place, category, share }: StripAnswer,
  categories: readonly Category[],
  isDevice: boolean,
): readonly MeaningShare[] {
  const sums = new Map<string, number>();
  let all = 0;
  for (let i = 0; i < share.length; i++) {
    if (place[i] !== (isDevice ? DEVICE : HOST)) continue;
    const meaning = categories[category[i] as number]?.meaning ?? "other";
    sums.set(meaning, (sums.get(meaning) ?? 0) + (share[i] as number));
    all += share[i] as number;
  }
  return [...sums]
    .map(([meaning, sum]) => ({ meaning, share: all > 0 ? sum / all : 0 }))
    .toSorted((a, b) => b.share - a.share);
}

/** One column of the canvas for every pixel that was asked for. */
export function drawBusy(
  canvas: HTMLCanvasElement,
  strip: StripAnswer,
  categories: readonly Category[],
  isDevice: boolean,
  width: number,
  height: number,
  theme: Theme,
): void {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  const tops = new Float64Array(width).fill(height);
  const { place, category, pixel, share } = strip;
  for (let i = 0; i < share.length; i++) {
    const x = pixel[i] as number;
    if (place[i] !== (isDevice ? DEVICE : HOST) || x < 0 || x >= width) continue;
    const meaning = categories[category[i] as number]?.meaning ?? "other";
    const high = (share[i] as number) * height;
    context.fillStyle = PALETTES[theme].meanings[isMeaning(meaning) ? meaning : "other"];
    context.fillRect(x, (tops[x] as number) - high, 1, high);
    tops[x] = (tops[x] as number) - high;
  }
}
