// From histograms over time to a picture: where axes, baselines, slots and outlines are, and what is under the pointer.
// Pure; knows nothing of runs, tags or the server.

import type { Plot, Range, ScaleKind, XKind } from "./model";
import type { Axes } from "./nearest";
import { makeScale, type Scale } from "./axes/scale";
import { type Tick, xTicks, yTicks } from "./axes/ticks";

/**
 * `offset`: one behind the other, the newest in front. `overlay`: all from one baseline. `heat`: over time, counts as
 * colour.
 */
export type HistogramMode = "offset" | "overlay" | "heat";
export type CountScale = "linear" | "log";

/** One histogram: buckets in ascending order, and its time. */
export interface Profile {
  readonly left: Float64Array;
  readonly right: Float64Array;
  readonly count: Float64Array;
  /** On the time axis. */
  readonly place: number;
  readonly color: string;
}

export interface ChartedHistograms {
  readonly mode: HistogramMode;
  readonly widthPx: number;
  readonly heightPx: number;
  /** In order of time: the last is in front. */
  readonly profiles: readonly Profile[];
  /** Whether each bucket is drawn at its own width. Otherwise a line goes through the middles. */
  readonly isStepped: boolean;
  /** The range of the value axis. */
  readonly domain: Range;
  readonly valueScale: ScaleKind;
  readonly countScale: CountScale;
  readonly timeKind: XKind;
}

export interface HistogramLayout {
  readonly axes: Axes;
  readonly xMarks: readonly Tick[];
  readonly yMarks: readonly Tick[];
  readonly y2Marks: readonly Tick[];
  readonly value: Scale;
  /** The largest count. */
  readonly most: number;
  /** From 0 to 1. */
  readonly sizeOf: (count: number) => number;
  /** The height of a count of `most`. */
  readonly ridgePx: number;
  /** The baseline of every profile. */
  readonly baselines: readonly number[];
  /** The slot of every profile, from left to right; only for `heat`. */
  readonly slots: readonly Range[];
}

const LABEL_PX = 6.4;
const RIDGE_PART = 0.42;
const ALONE_PART = 0.92;
const VALUE_TICK_PX = 70;
const TICK_HEIGHT_PX = 45;
// A thinner bucket would be invisible.
const THIN_PX = 1;

/** A single mark tells no distance, so narrow cards get more than there is room for by the usual count. */
function bottomTicks(domain: Range, kind: XKind, scale: ScaleKind, { left, right }: Plot): Tick[] {
  const usual = Math.max(2, Math.floor((right - left) / VALUE_TICK_PX));
  const marks = xTicks(domain, kind, scale, usual);
  return marks.length < 2 ? xTicks(domain, kind, scale, usual + 1) : marks;
}

export function layOutHistograms(chart: ChartedHistograms): HistogramLayout {
  const { mode, widthPx, heightPx, profiles, valueScale, timeKind } = chart;
  const domain = measurable(chart.domain);
  let most = 0;
  for (const { count } of profiles)
    for (let i = 0; i < count.length; i++) if ((count[i] as number) > most) most = count[i] as number;
  const sizeOf =
    chart.countScale === "log"
      ? (count: number) => Math.log1p(count) / Math.log1p(most || 1)
      : (count: number) => count / (most || 1);
  const times = timeRange(profiles);
  const rows = Math.max(2, Math.floor(heightPx / TICK_HEIGHT_PX));
  const beside = (marks: readonly Tick[]): number =>
    Math.max(16, Math.ceil((Math.max(0, ...marks.map((tick) => tick.label.length)) * LABEL_PX + 12) / 8) * 8);
  const common = { most, sizeOf, slots: [] };

  if (mode === "heat") {
    const yMarks = yTicks(domain, valueScale, rows);
    const plot: Plot = { left: beside(yMarks), top: 8, right: widthPx - 10, bottom: heightPx - 22 };
    const value = makeScale(valueScale, domain, [plot.bottom, plot.top]);
    const slots = slotsOf(
      profiles.map(({ place }) => place),
      [plot.left, plot.right],
    );
    const time = timeOfSlots(profiles, slots, times, plot);
    return {
      ...common,
      value,
      slots,
      ridgePx: 0,
      baselines: [],
      axes: { x: time, y: value, y2: makeScale("linear", [0, 1], [0, 1]), plot },
      xMarks: bottomTicks(times, timeKind, "linear", plot),
      yMarks,
      y2Marks: [],
    };
  }

  const isOffset = mode === "offset";
  const yMarks = isOffset ? [] : countTicks(most, chart.countScale, rows);
  const y2Marks =
    isOffset && profiles.length > 1
      ? xTicks(times, timeKind, "linear", Math.max(2, Math.floor((heightPx * (1 - RIDGE_PART)) / 26)))
      : [];
  const plot: Plot = {
    left: isOffset ? 10 : beside(yMarks),
    top: 8,
    right: widthPx - (isOffset ? Math.max(16, beside(y2Marks)) : 12),
    bottom: heightPx - 22,
  };
  const highPx = plot.bottom - plot.top;
  const ridgePx = highPx * (isOffset && profiles.length > 1 ? RIDGE_PART : ALONE_PART);
  const value = makeScale(valueScale, domain, [plot.left, plot.right]);
  const time = makeScale("linear", times, [plot.top + ridgePx, plot.bottom]);
  const counts: Scale = {
    kind: "linear",
    domain: [0, most],
    toPx: (count) => plot.bottom - sizeOf(count) * ridgePx,
    toValue: () => Number.NaN,
  };
  return {
    ...common,
    value,
    ridgePx,
    baselines: profiles.map(({ place }) => (isOffset && profiles.length > 1 ? time.toPx(place) : plot.bottom)),
    axes: { x: value, y: counts, y2: time, plot },
    xMarks: bottomTicks(domain, "value", valueScale, plot),
    yMarks,
    y2Marks,
  };
}

/** Clamps a range whose length exceeds float64: legal files reach ±1.8e308. */
function measurable([low, high]: Range): Range {
  const most = Number.MAX_VALUE / 2;
  return Number.isFinite(high - low) ? [low, high] : [Math.max(low, -most), Math.min(high, most)];
}

function timeRange(profiles: readonly Profile[]): Range {
  const first = profiles[0]?.place ?? 0;
  const last = profiles.at(-1)?.place ?? first;
  return last > first ? [first, last] : [first - 0.5, first + 0.5];
}

function countTicks(most: number, scale: CountScale, rows: number): Tick[] {
  if (scale === "linear") return yTicks([0, most || 1], "linear", rows);
  const every = Math.max(1, Math.ceil(Math.log10(most + 1) / Math.max(1, rows - 1)));
  const ticks: Tick[] = [{ value: 0, label: "0" }];
  for (let power = 0; 10 ** power <= most; power += every)
    ticks.push({ value: 10 ** power, label: yTicks([10 ** power, 10 ** (power + 1)], "log", 2)[0]?.label ?? "" });
  return ticks;
}

/** A slot reaches half way to its neighbours; together they fill the width. */
function slotsOf(places: readonly number[], [left, right]: Range): Range[] {
  if (places.length === 0) return [];
  const first = places[0] as number;
  const last = places.at(-1) as number;
  if (!(last > first))
    return places.map((_, i) => [
      left + ((right - left) * i) / places.length,
      left + ((right - left) * (i + 1)) / places.length,
    ]);
  const middles = places.slice(1).map((place, i) => (place + (places[i] as number)) / 2);
  const start = first - ((middles[0] as number) - first);
  const end = last + (last - (middles.at(-1) as number));
  const px = (place: number): number => left + ((place - start) / (end - start)) * (right - left);
  return places.map((_, i) => [px(middles[i - 1] ?? start), px(middles[i] ?? end)]);
}

/** Ticks are at the middles of the slots. */
function timeOfSlots(profiles: readonly Profile[], slots: readonly Range[], times: Range, plot: Plot): Scale {
  const first = slots[0];
  const last = slots.at(-1);
  if (!first || !last || profiles.length < 2) return makeScale("linear", times, [plot.left, plot.right]);
  const [start, end] = [first[0], last[1]];
  const places = profiles.map(({ place }) => place);
  const before = ((places[1] as number) - (places[0] as number)) / 2;
  const after = ((places.at(-1) as number) - (places.at(-2) as number)) / 2;
  const scale = makeScale("linear", [times[0] - before, times[1] + after], [start, end]);
  return { ...scale, domain: times };
}

/** Continues to the next point of an outline. */
type LineTo = (x: number, y: number) => void;

/** Traces outlines from left to right, with both ends on the baseline. */
export function outliner(
  { value, sizeOf, ridgePx }: HistogramLayout,
  isStepped: boolean,
): (profile: Profile, baselinePx: number, lineTo: LineTo) => void {
  if (isStepped)
    return (profile, baselinePx, lineTo) =>
      traceBuckets(profile, value, (count) => baselinePx - sizeOf(count) * ridgePx, baselinePx, lineTo);
  let bins: Float64Array | null = null;
  let edges = new Float64Array();
  return ({ left, right, count }, baselinePx, lineTo) => {
    // The histograms of one chart share their bins.
    if (bins !== left) {
      bins = left;
      edges = new Float64Array(left.length + 1);
      for (let i = 0; i < left.length; i++) edges[i] = clampPx(value, left[i] as number);
      edges[left.length] = clampPx(value, right[left.length - 1] as number);
    }
    // Without the empty ends: a line along the baseline would cover what is behind it.
    let first = 0;
    let end = count.length;
    while (first < end && !((count[first] as number) > 0)) first++;
    while (end > first && !((count[end - 1] as number) > 0)) end--;
    if (first === end) return;
    lineTo(edges[first] as number, baselinePx);
    for (let i = first; i < end; i++)
      lineTo(((edges[i] as number) + (edges[i + 1] as number)) / 2, baselinePx - sizeOf(count[i] as number) * ridgePx);
    lineTo(edges[end] as number, baselinePx);
  };
}

function traceBuckets(
  { left, right, count }: Profile,
  value: Scale,
  topPx: (count: number) => number,
  baselinePx: number,
  lineTo: LineTo,
): void {
  let endPx = Number.NaN;
  for (let i = 0; i < count.length; i++) {
    const [fromPx, toPx] = spanPx(value, left[i] as number, right[i] as number);
    if (!Number.isFinite(toPx) || count[i] === 0) continue;
    // Adjacent buckets form one shape; only a gap goes down to the baseline.
    if (!(fromPx <= endPx)) {
      if (Number.isFinite(endPx)) lineTo(endPx, baselinePx);
      lineTo(fromPx, baselinePx);
    }
    const atPx = topPx(count[i] as number);
    lineTo(fromPx, atPx);
    lineTo(toPx, atPx);
    endPx = toPx;
  }
  if (Number.isFinite(endPx)) lineTo(endPx, baselinePx);
}

/** Values that a log axis cannot show are far to the left. */
const FAR_PX = 1e5;
function clampPx(value: Scale, at: number): number {
  const px = value.toPx(at);
  return px > Number.NEGATIVE_INFINITY ? Math.min(Math.max(px, -FAR_PX), FAR_PX) : Number.NEGATIVE_INFINITY;
}

/** The left and right end of a bucket, at least as wide as is visible; not finite where the axis cannot show it. */
export function spanPx(value: Scale, left: number, right: number): Range {
  const toPx = clampPx(value, right);
  if (!Number.isFinite(toPx)) return [toPx, toPx];
  const fromPx = Math.max(clampPx(value, left), -FAR_PX);
  if (Math.abs(toPx - fromPx) >= THIN_PX) return [fromPx, toPx];
  const middle = (fromPx + toPx) / 2;
  return [middle - THIN_PX / 2, middle + THIN_PX / 2];
}

/** The bucket at a value; for buckets without width, the nearest one within the precision of the pointer. -1: none. */
export function bucketAt(profile: Profile, value: Scale, px: number): number {
  const AIM_PX = 4;
  let best = -1;
  let bestPx = AIM_PX;
  for (let i = 0; i < profile.count.length; i++) {
    const [fromPx, toPx] = spanPx(value, profile.left[i] as number, profile.right[i] as number);
    if (!Number.isFinite(toPx)) continue;
    const low = Math.min(fromPx, toPx);
    const high = Math.max(fromPx, toPx);
    const awayPx = px < low ? low - px : px > high ? px - high : 0;
    // A full bucket wins over an empty one beside it.
    if (
      awayPx < bestPx ||
      (awayPx === 0 && bestPx === 0 && (profile.count[i] as number) > (profile.count[best] ?? -1))
    ) {
      best = i;
      bestPx = awayPx;
    }
  }
  return best;
}

export interface Found {
  readonly profile: number;
  /** -1: between buckets. */
  readonly bucket: number;
}

/** What is under the pointer: the front histogram whose area contains it, otherwise the nearest outline. */
export function findHistogram(
  chart: ChartedHistograms,
  layout: HistogramLayout,
  xPx: number,
  yPx: number,
): Found | null {
  const { profiles, mode } = chart;
  if (profiles.length === 0) return null;
  if (mode === "heat") {
    const at = layout.slots.findIndex(([start, end]) => xPx >= start && xPx < end);
    const profile = at < 0 ? (xPx < (layout.slots[0]?.[0] ?? 0) ? 0 : profiles.length - 1) : at;
    return { profile, bucket: bucketAt(profiles[profile] as Profile, layout.value, yPx) };
  }
  let nearest: Found | null = null;
  let nearestPx = Number.POSITIVE_INFINITY;
  for (let i = profiles.length - 1; i >= 0; i--) {
    const profile = profiles[i] as Profile;
    const baseline = layout.baselines[i] as number;
    const bucket = bucketAt(profile, layout.value, xPx);
    const topPx = baseline - (bucket < 0 ? 0 : layout.sizeOf(profile.count[bucket] as number) * layout.ridgePx);
    const isInside = mode === "offset" && bucket >= 0 && yPx >= topPx - 2 && yPx <= baseline + 2;
    if (isInside) return { profile: i, bucket };
    // A histogram with nothing at this value counts only if all others have nothing there either.
    const awayPx = Math.abs(topPx - yPx) + (bucket < 0 ? chart.heightPx : 0);
    if (awayPx < nearestPx) {
      nearest = { profile: i, bucket };
      nearestPx = awayPx;
    }
  }
  return nearest;
}

/** The share below a bucket and up to its end, of the total: `below` is the count before the first bucket. */
export function shareAt(profile: Profile, bucket: number, below: number, total: number): Range {
  let before = below;
  for (let i = 0; i < bucket; i++) before += profile.count[i] as number;
  const upTo = before + (profile.count[bucket] ?? 0);
  return total > 0 ? [before / total, Math.min(1, upTo / total)] : [Number.NaN, Number.NaN];
}
