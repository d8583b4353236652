// The overview as bars: for every pixel, the shares of what ran there, stacked by meaning.

import type { StripAnswer } from "../answer";
import { MEANINGS, type Meaning } from "../colors";

export interface Bar {
  readonly pixel: number;
  readonly meaning: Meaning;
  /** From 0 to 1, from the bottom. */
  readonly from: number;
  readonly to: number;
}

const ORDER = new Map((Object.keys(MEANINGS) as Meaning[]).map((meaning, i) => [meaning, i]));
const DEVICE = 1;

/** Of the devices; of the host where there is none. */
export function stripBars({ place, category, pixel, share }: StripAnswer, meanings: readonly Meaning[]): Bar[] {
  const shown = place.includes(DEVICE) ? DEVICE : 0;
  const sums = new Map<number, Map<Meaning, number>>();
  for (let i = 0; i < pixel.length; i++) {
    if (place[i] !== shown) continue;
    const meaning = meanings[category[i] as number] ?? "other";
    const at = pixel[i] as number;
    let sum = sums.get(at);
    if (!sum) sums.set(at, (sum = new Map()));
    sum.set(meaning, (sum.get(meaning) ?? 0) + (share[i] as number));
  }
  const bars: Bar[] = [];
  for (const [at, sum] of sums) {
    const total = [...sum.values()].reduce((a, b) => a + b, 0);
    // Streams that run side by side: the bar is full, and shows how they divide it.
    const scale = total > 1 ? 1 / total : 1;
    let from = 0;
    for (const [meaning, part] of [...sum].sort(([a], [b]) => (ORDER.get(a) ?? 0) - (ORDER.get(b) ?? 0))) {
      const to = from + part * scale;
      bars.push({ pixel: at, meaning, from, to });
      from = to;
    }
  }
  return bars;
}
