// The kinds of smoothing and what their amounts mean. Pure.

import { type Smoothing, SMOOTHING_MAX, type SmoothingKind } from "../state/view/view";

export interface KindInfo {
  readonly kind: SmoothingKind;
  readonly label: string;
  readonly hint: string;
  readonly max: number;
  readonly step: number;
  readonly isLog: boolean;
  /** The default amount. */
  readonly usual: number;
}

export const KINDS: readonly KindInfo[] = [
  {
    kind: "ema",
    label: "EMA",
    max: SMOOTHING_MAX,
    step: 0.001,
    isLog: false,
    usual: 0.6,
    hint: "Exponential moving average, as in TensorBoard; the number is the weight of earlier points",
  },
  {
    kind: "time_ema",
    label: "Time-weighted",
    max: 100_000,
    step: 0.1,
    isLog: true,
    usual: 20,
    hint: "Exponential moving average over x, for unevenly spaced points; the number is the half-life",
  },
  {
    kind: "gaussian",
    label: "Gaussian",
    max: 500,
    step: 0.1,
    isLog: true,
    usual: 5,
    hint: "Gaussian-weighted mean of the points on both sides; the number is the standard deviation",
  },
  {
    kind: "median",
    label: "Running median",
    max: 501,
    step: 1,
    isLog: true,
    usual: 9,
    hint: "Median of a sliding window, which ignores single spikes; the number is the window width",
  },
];

export const kindInfo = (kind: SmoothingKind): KindInfo =>
  KINDS.find((each) => each.kind === kind) ?? (KINDS[0] as KindInfo);

export function unitOf(kind: SmoothingKind, xAxis: string): string {
  if (kind === "ema") return "";
  if (kind !== "time_ema") return "points";
  return xAxis === "step" ? "steps" : xAxis === "relative" || xAxis === "wall" ? "s" : "";
}

/** One notch more or less, of ten between none and the maximum. */
export function nudge({ kind, amount }: Smoothing, by: 1 | -1): Smoothing {
  const { isLog, max, step } = kindInfo(kind);
  const next = isLog ? Math.expm1(Math.log1p(amount) + (by * Math.log1p(max)) / 10) : amount + by * 0.1;
  // The first notch above zero is the smallest amount.
  const bounded = Math.min(Math.max(next, by > 0 ? step : 0), max);
  return { kind, amount: bounded < step ? 0 : step >= 1 ? Math.round(bounded) : Number(bounded.toPrecision(3)) };
}
