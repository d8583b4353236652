// The kinds of smoothing and what their amounts mean. Pure.

import { type Smoothing, SMOOTHING_MAX, type SmoothingKind } from "../state/view/view";

export interface KindInfo {
  readonly kind: SmoothingKind;
  readonly label: string;
  readonly hint: string;
  readonly max: number;
  readonly step: number;
  readonly isLog: boolean;
  /** What the amount starts with. */
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
    hint: "Exponential moving average as TensorBoard's: how much of each value comes from the points before it",
  },
  {
    kind: "time_ema",
    label: "Time-weighted",
    max: 100_000,
    step: 0.1,
    isLog: true,
    usual: 20,
    hint: "Exponential moving average over x, whatever the distance of the points: its half-life",
  },
  {
    kind: "gaussian",
    label: "Gaussian",
    max: 500,
    step: 0.1,
    isLog: true,
    usual: 5,
    hint: "Weighted mean of the points on both sides: the bell's standard deviation",
  },
  {
    kind: "median",
    label: "Running median",
    max: 501,
    step: 1,
    isLog: true,
    usual: 9,
    hint: "Middle value of a window, which single spikes do not move: its width",
  },
];

export const kindInfo = (kind: SmoothingKind): KindInfo =>
  KINDS.find((each) => each.kind === kind) ?? (KINDS[0] as KindInfo);

export function unitOf(kind: SmoothingKind, xAxis: string): string {
  if (kind === "ema") return "";
  if (kind !== "time_ema") return "points";
  return xAxis === "step" ? "steps" : xAxis === "relative" || xAxis === "wall" ? "s" : "";
}

/** One notch more or less, of ten from none to the most that is of use. */
export function nudge({ kind, amount }: Smoothing, by: 1 | -1): Smoothing {
  const { isLog, max, step } = kindInfo(kind);
  const next = isLog ? Math.expm1(Math.log1p(amount) + (by * Math.log1p(max)) / 10) : amount + by * 0.1;
  // From nothing the first notch is the least there is.
  const bounded = Math.min(Math.max(next, by > 0 ? step : 0), max);
  return { kind, amount: bounded < step ? 0 : step >= 1 ? Math.round(bounded) : Number(bounded.toPrecision(3)) };
}
