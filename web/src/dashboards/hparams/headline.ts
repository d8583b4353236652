// What the brushes achieve: the median of the main metric among the runs that they leave against the rest, with an
// interval, and the best run. Pure.

import { type Column, VALUE } from "./columns";
import { quantile } from "./scales";

export interface Headline {
  readonly median: number | null;
  /** Of the runs outside the brushes; null if there are none with a value. */
  readonly rest: number | null;
  /** Median minus that of the rest, with its 95 % bootstrap interval; null if one side has too few runs. */
  readonly difference: { readonly value: number; readonly low: number; readonly high: number } | null;
  readonly best: { readonly row: number; readonly value: number } | null;
}

const MIN_RUNS = 3;
const RESAMPLES = 1_000;

/** `isMetricBrushed`: then a difference would only restate the brush. */
export function makeHeadline(metric: Column | null, included: Uint8Array, isMetricBrushed: boolean): Headline {
  const inside: number[] = [];
  const outside: number[] = [];
  let best: { row: number; value: number } | null = null;
  if (metric)
    for (let row = 0; row < included.length; row++) {
      if (metric.state[row] !== VALUE) continue;
      const value = metric.numbers[row] as number;
      if (!included[row]) outside.push(value);
      else {
        inside.push(value);
        if (!best || (metric.goal === "min" ? value < best.value : value > best.value)) best = { row, value };
      }
    }
  const [a, b] = [Float64Array.from(inside).sort(), Float64Array.from(outside).sort()];
  const median = a.length > 0 ? quantile(a, 0.5) : null;
  const rest = b.length > 0 ? quantile(b, 0.5) : null;
  if (isMetricBrushed || median === null || rest === null || a.length < MIN_RUNS || b.length < MIN_RUNS)
    return { median, rest: isMetricBrushed ? null : rest, difference: null, best };
  const [low, high] = bootstrapDifference(a, b);
  return { median, rest, difference: { value: median - rest, low, high }, best };
}

/**
 * The 2.5 % and 97.5 % quantiles of the difference of medians over bootstrap samples. The rank that a resample's median
 * has in the sorted values is drawn directly, so a thousand resamples of ten thousand values take a moment. The same
 * values give the same interval.
 */
export function bootstrapDifference(a: Float64Array, b: Float64Array): [number, number] {
  const random = generator(a.length * 31 + b.length);
  const differences = new Float64Array(RESAMPLES);
  for (let i = 0; i < RESAMPLES; i++) differences[i] = resampledMedian(a, random) - resampledMedian(b, random);
  differences.sort();
  return [quantile(differences, 0.025), quantile(differences, 0.975)];
}

/** Small samples are resampled as such; for large ones the rank of the median is close to normal, by n/2 ± √n/2. */
const SMALL = 30;

function resampledMedian(sorted: Float64Array, random: () => number): number {
  const n = sorted.length;
  if (n > SMALL) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return quantile(sorted, 0.5 + normal / (2 * Math.sqrt(n)));
  }
  const ranks = new Float64Array(n);
  for (let i = 0; i < n; i++) ranks[i] = Math.floor(random() * n);
  ranks.sort();
  const [low, high] = [ranks[(n - 1) >> 1] as number, ranks[n >> 1] as number];
  return ((sorted[low] as number) + (sorted[high] as number)) / 2;
}

/** Mulberry32: small, and good enough for resampling. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
