// The histogram in the head of a column: how many rows each bin has, among all and among the included ones. Pure.

import type { Scale } from "../scales";

export const BINS = 20;
const MAX_CATEGORIES = 24;
const NOWHERE = 255;

export interface HeadBins {
  readonly count: number;
  /** The bin of each row; 255: none. */
  readonly bins: Uint8Array;
  readonly all: Uint32Array;
}

export function makeBins({ places, categories }: Scale): HeadBins {
  const count = categories && categories.length <= MAX_CATEGORIES ? Math.max(1, categories.length) : BINS;
  const bins = new Uint8Array(places.length);
  const all = new Uint32Array(count);
  for (let row = 0; row < places.length; row++) {
    const place = places[row] as number;
    const bin = Number.isNaN(place) ? NOWHERE : Math.min(count - 1, Math.floor(place * count));
    bins[row] = bin;
    if (bin !== NOWHERE) all[bin]!++;
  }
  return { count, bins, all };
}

export function countIncluded({ count, bins }: HeadBins, included: Uint8Array): Uint32Array {
  // The last place collects rows that have none.
  const counts = new Uint32Array(256);
  for (let row = 0; row < bins.length; row++) counts[bins[row] as number]! += included[row] as number;
  return counts.subarray(0, count);
}
