// A single outlier that smoothing spreads over many points, so that the user can be told. Looks at the logged points
// that are drawn behind a smoothed line. Pure.

import { formatValue, formatX } from "../base/format";
import { type Floats, xOf } from "../chart/model";
import type { Smoothing } from "../state/view/view";
import type { CardLine } from "./card_model";
import type { Notice } from "./notices";

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
const SAMPLE = 256;

export function findSmear(lines: readonly CardLine[], smoothing: Smoothing, axis: string): Notice | null {
  if (smoothing.amount <= 0 || smoothing.kind === "median") return null;
  let worst: Outlier | null = null;
  for (const line of lines) {
    const found = line.role === "raw" ? findOutlier(line, smoothing) : null;
    if (found && found.points > (worst?.points ?? 0)) worst = found;
  }
  if (!worst) return null;
  const { run, x, value, points } = worst;
  return {
    text: `outlier @ ${formatX(x, axis)}`,
    detail: `${run}: one value of ${formatValue(value)} bends the smoothed line over about ${points} points.\nClick for the running median, which ignores single outliers.`,
  };
}

function findOutlier({ run, series, total }: CardLine, smoothing: Smoothing): Outlier | null {
  const { y } = series;
  if (y.length < MIN_POINTS) return null;
  const x = xOf(series);
  const [noise, range] = [usualBend(y), usualRange(y)];
  let at = -1;
  let most = FAR * noise;
  for (let i = 1; i < y.length - 1; i++) {
    const size = spikeAt(y, i);
    if (size > most) [at, most] = [i, size];
  }
  if (at < 0) return null;
  const gap = ((x.at(-1) as number) - (x[0] as number)) / Math.max(1, total - 1);
  const points = smearedPoints(most, Math.max(noise, VISIBLE * range), smoothing, gap);
  return points < MIN_SMEARED ? null : { run, x: x[at] as number, value: y[at] as number, points };
}

const bendAt = (y: Floats, i: number): number => (y[i] as number) - ((y[i - 1] as number) + (y[i + 1] as number)) / 2;

/** How far a point is beyond both of its neighbours; 0 if it is between them or beside a value that is not finite. */
function spikeAt(y: Floats, i: number): number {
  const [up, down] = [(y[i] as number) - (y[i - 1] as number), (y[i] as number) - (y[i + 1] as number)];
  return up * down > 0 && Number.isFinite(up * down) ? Math.min(Math.abs(up), Math.abs(down)) : 0;
}

/** The median of how far points are from between their neighbours. */
function usualBend(y: Floats): number {
  const every = Math.max(1, Math.floor(y.length / SAMPLE));
  const bends: number[] = [];
  for (let i = 1; i < y.length - 1; i += every) {
    const bend = Math.abs(bendAt(y, i));
    if (Number.isFinite(bend)) bends.push(bend);
  }
  return quantile(bends, 0.5);
}

function usualRange(y: Floats): number {
  const every = Math.max(1, Math.floor(y.length / SAMPLE));
  const values: number[] = [];
  for (let i = 0; i < y.length; i += every) if (Number.isFinite(y[i])) values.push(y[i] as number);
  return quantile(values, 0.95) - quantile(values, 0.05);
}

function quantile(values: number[], share: number): number {
  values.sort((a, b) => a - b);
  return values[Math.floor((values.length - 1) * share)] ?? 0;
}

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
