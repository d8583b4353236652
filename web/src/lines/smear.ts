// A single outlier that smoothing spreads over many points, so that the user can be told. Looks at the logged points
// that are drawn behind a smoothed line. Pure.

import { formatValue, formatX } from "../base/format";
import { type Floats, type Series, xOf } from "../chart/model";
import type { Smoothing } from "../state/view/view";
import type { CardLine } from "./card_model";
import { type Notice, nameRuns } from "./notices";

interface Outlier {
  readonly run: string;
  readonly x: number;
  readonly value: number;
  /** For how many points the smoothed line is visibly off. */
  readonly points: number;
}

const MIN_POINTS = 12;
/** Fewer are a bump as wide as any other. */
const MIN_SMEARED = 5;
/** Beyond its neighbours, in units of the usual difference between neighbours. */
const FAR = 10;
/** Part of the line's range that can be seen. */
const VISIBLE = 0.02;
const SAMPLE = 128;

export function findSmear(lines: readonly CardLine[], smoothing: Smoothing, axis: string): Notice | null {
  if (smoothing.amount <= 0 || smoothing.kind === "median") return null;
  const found = lines.flatMap((line) => (line.role === "raw" && findOutlier(line, smoothing)) || []);
  found.sort((one, other) => one.x - other.x);
  const [first] = found;
  if (!first) return null;
  // Which of them reaches farthest depends on how many points of each line are drawn, so all are named.
  const named = found.map(
    ({ run, value, points }) =>
      `${run}: one value of ${formatValue(value)} bends the smoothed line over about ${points} points.`,
  );
  return {
    text: `outlier @ ${formatX(first.x, axis)}`,
    detail: `${nameRuns(named)}\nClick for the running median, which ignores single outliers.`,
  };
}

function findOutlier({ run, series, total }: CardLine, smoothing: Smoothing): Outlier | null {
  const spike = spikeOf(series);
  if (!spike) return null;
  const { at, size, visible } = spike;
  const x = xOf(series);
  const gap = ((x.at(-1) as number) - (x[0] as number)) / Math.max(1, total - 1);
  const points = smearedPoints(size, visible, smoothing, gap);
  return points < MIN_SMEARED ? null : { run, x: x[at] as number, value: series.y[at] as number, points };
}

interface Spike {
  readonly at: number;
  readonly size: number;
  /** A smoothed line that is off by less looks right. */
  readonly visible: number;
}

const known = new WeakMap<Series, Spike | null>();

/** The point that is far beyond its neighbours, if there is one; found once for all values of the smoothing. */
function spikeOf(series: Series): Spike | null {
  let spike = known.get(series);
  if (spike === undefined) known.set(series, (spike = findSpike(series)));
  return spike;
}

function findSpike({ y }: Series): Spike | null {
  if (y.length < MIN_POINTS) return null;
  const { at, size } = largestSpike(y);
  if (at < 0 || isUsual(y, size / FAR)) return null;
  const values = sample(y, (i) => y[i] as number);
  const usualRange = quantile(values, 0.95) - quantile(values, 0.05);
  const noise = quantile(
    sample(y, (i) => bendAt(y, i)),
    0.5,
  );
  return { at, size, visible: Math.max(noise, VISIBLE * usualRange) };
}

// The next two run for every line of a page that opens, before the browser has compiled them: until then a number that
// leaves a function, or a callback, is an object to make and throw away.

/** The point that is farthest beyond both of its neighbours. */
function largestSpike(y: Floats): { at: number; size: number } {
  let at = -1;
  let size = 0;
  let before = y[0] as number;
  let here = y[1] as number;
  for (let i = 2; i < y.length; i++) {
    const after = y[i] as number;
    // One comparison decides for most points.
    if (here - before > size ? here - after > size : before - here > size && after - here > size) {
      const [up, down] = [Math.abs(here - before), Math.abs(here - after)];
      if (up + down < Number.POSITIVE_INFINITY) {
        at = i - 1;
        size = Math.min(up, down);
      }
    }
    before = here;
    here = after;
  }
  return { at, size };
}

/** Whether most points are as far from between their neighbours, going by a part of them. */
function isUsual(y: Floats, bend: number): boolean {
  const every = strideOf(y);
  let more = 0;
  for (let i = 1; i < y.length - 1; i += every) {
    // As bendAt, without a call.
    const own = Math.abs((y[i] as number) - ((y[i - 1] as number) + (y[i + 1] as number)) / 2);
    if (own < bend) more--;
    else if (own >= bend) more++;
  }
  return more >= 0;
}

/** How far a point is from between its neighbours. */
const bendAt = (y: Floats, i: number): number =>
  Math.abs((y[i] as number) - ((y[i - 1] as number) + (y[i + 1] as number)) / 2);

const strideOf = (y: Floats): number => Math.max(1, Math.floor(y.length / SAMPLE));

/** What `of` says of points all along the line, in order of size, without what is not finite. */
function sample(y: Floats, of: (i: number) => number): Float64Array {
  const every = strideOf(y);
  const values = new Float64Array(Math.ceil(y.length / every));
  let count = 0;
  for (let i = 1; i < y.length - 1; i += every) {
    const value = of(i);
    if (Number.isFinite(value)) values[count++] = value;
  }
  return values.subarray(0, count).sort();
}

const quantile = (sorted: Float64Array, share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;

/** For how many points an outlier of this size moves the smoothed line by more than what can be seen. */
function smearedPoints(size: number, visible: number, { kind, amount }: Smoothing, gap: number): number {
  if (kind === "gaussian") {
    const peak = size / (amount * Math.sqrt(2 * Math.PI));
    return peak > visible ? Math.round(2 * amount * Math.sqrt(2 * Math.log(peak / visible))) : 0;
  }
  const weight = kind === "ema" ? amount : 2 ** (-gap / amount);
  const peak = size * (1 - weight);
  return peak > visible ? Math.round(Math.log(peak / visible) / -Math.log(weight)) : 0;
}
