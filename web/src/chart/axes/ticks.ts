// The marks of an axis and their labels.

import { tickStep, ticks as linearTicks } from "d3-array";
import { format, precisionFixed, precisionRound } from "d3-format";
import { timeTicks as clockTicks } from "d3-time";
import { formatDay } from "../../base/format";
import type { Range, ScaleKind, XKind } from "../model";
import { warp } from "./scale";

export interface Tick {
  readonly value: number;
  readonly label: string;
}

// Below these decades a symlog axis is linear.
const SYMLOG_DECADES = 5;
const MINUS = "−";
const short = format("~s");
const SECONDS = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;
const DURATION_STEPS_S = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
];

export function yTicks(domain: Range, scale: ScaleKind, count: number): Tick[] {
  if (scale === "log") return logTicks(domain, count);
  if (scale === "symlog") return symlogTicks(domain, count);
  return label(linearTicks(domain[0], domain[1], count), tickStep(domain[0], domain[1], count));
}

export function xTicks(domain: Range, kind: XKind, scale: ScaleKind, count: number): Tick[] {
  if (scale !== "linear" && kind !== "wall") {
    const ticks = yTicks(domain, scale, count);
    if (kind === "value") return ticks;
    if (kind === "step") return ticks.filter((tick) => Number.isInteger(tick.value));
    return ticks.map(({ value, label }) => ({
      value,
      label: Math.abs(value) < 1 && value !== 0 ? `${label}s` : duration(value),
    }));
  }
  switch (kind) {
    case "step": {
      const whole = linearTicks(domain[0], domain[1], count).filter(Number.isInteger);
      return label(whole, Math.max(1, tickStep(domain[0], domain[1], count)));
    }
    case "relative":
      return durationTicks(domain, count);
    case "wall":
      return timeTicks(domain, count);
    case "value":
      return yTicks(domain, "linear", count);
    default:
      return kind satisfies never;
  }
}

/** One style for all labels of an axis: 0.25, 12k or 3e−5, with as many digits as the distance between marks needs. */
function label(values: number[], step: number): Tick[] {
  const largest = Math.max(...values.map(Math.abs));
  // precisionRound is NaN when the marks are closer than float64 can tell apart.
  const digits = Math.min(Math.max(precisionRound(step, largest) || 1, 1), 15);
  let write: (value: number) => string;
  if (largest >= 1e15 || (largest > 0 && largest < 1e-3)) write = (value) => exponent(value, digits);
  else if (largest >= 1e4) write = format(`.${digits}~s`);
  else write = format(`.${Math.min(precisionFixed(step) || 0, 12)}f`);
  return values.map((value) => ({ value, label: value === 0 ? "0" : write(value).replace("-", MINUS) }));
}

function exponent(value: number, digits = 4): string {
  return format(`.${digits - 1}~e`)(value)
    .replace("e+", "e")
    .replaceAll("-", MINUS);
}

function logTicks([low, high]: Range, count: number): Tick[] {
  const decades = Math.log10(high) - Math.log10(low);
  if (!Number.isFinite(decades)) return [];
  // Below one decade a log axis is nearly linear, and may contain no power of ten.
  if (decades < 1) return label(linearTicks(low, high, Math.min(count, 4)), tickStep(low, high, Math.min(count, 4)));
  const every = Math.max(1, Math.round(decades / count));
  const within = decades < 2 ? [1, 2, 5] : [1];
  const ticks: Tick[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    if (power % every !== 0) continue;
    for (const digit of within) {
      const value = Number(`${digit}e${power}`);
      if (value >= low && value <= high) ticks.push({ value, label: logLabel(value) });
    }
  }
  return ticks;
}

/** Zero, then powers of ten from the largest down, then 5 and 2 of each if those are few: as many as fit. */
function symlogTicks(domain: Range, count: number): Tick[] {
  const { to } = warp("symlog", domain);
  const [low, high] = domain;
  const gap = (to(high) - to(low)) / (count * 2);
  const top = Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high))));
  const kept: number[] = [];
  const offer = (value: number): void => {
    if (value >= low && value <= high && kept.every((other) => Math.abs(to(other) - to(value)) >= gap))
      kept.push(value);
  };
  offer(0);
  for (const digit of [1, 5, 2]) {
    if (kept.length >= count) break;
    for (let power = top; power > top - SYMLOG_DECADES; power--) {
      offer(Number(`${digit}e${power}`));
      offer(Number(`-${digit}e${power}`));
    }
  }
  // A short part of the axis, without powers of ten in it, is nearly linear.
  if (kept.length < 3)
    return label(linearTicks(low, high, Math.min(count, 4)), tickStep(low, high, Math.min(count, 4)));
  return kept.sort((a, b) => a - b).map((value) => ({ value, label: value === 0 ? "0" : signedLogLabel(value) }));
}

const signedLogLabel = (value: number): string => (value < 0 ? MINUS : "") + logLabel(Math.abs(value));

function logLabel(value: number): string {
  if (value >= 1e15 || value < 1e-3) return exponent(value);
  return value >= 1e4 ? short(value) : String(value);
}

function durationTicks([low, high]: Range, count: number): Tick[] {
  const wanted = (high - low) / count;
  if (wanted < 0.5)
    return label(linearTicks(low, high, count), tickStep(low, high, count)).map((t) => ({
      ...t,
      label: `${t.label}s`,
    }));
  const longest = DURATION_STEPS_S.at(-1) as number;
  const step = DURATION_STEPS_S.find((s) => s >= wanted * 0.8) ?? longest * Math.ceil(wanted / longest);
  const ticks: Tick[] = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push({ value: i * step, label: duration(i * step) });
  return ticks;
}

/** 5400 → "1h 30m". Whole seconds, in the two largest units. */
function duration(seconds: number): string {
  const sign = seconds < 0 ? MINUS : "";
  let left = Math.abs(seconds);
  const parts: string[] = [];
  for (const [unit, size] of Object.entries(SECONDS)) {
    const n = Math.floor(left / size);
    left -= n * size;
    if (n > 0 && parts.length < 2) parts.push(`${n}${unit}`);
  }
  return sign + (parts.join(" ") || "0");
}

const two = (n: number): string => String(n).padStart(2, "0");

function timeTicks([low, high]: Range, count: number): Tick[] {
  const dates = clockTicks(new Date(low * 1000), new Date(high * 1000), count);
  return dates.map((date) => ({ value: date.getTime() / 1000, label: timeLabel(date) }));
}

function timeLabel(date: Date): string {
  const isMidnight = date.getHours() + date.getMinutes() + date.getSeconds() + date.getMilliseconds() === 0;
  if (isMidnight) return formatDay(date);
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (date.getMilliseconds() > 0)
    return `${clock}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  return date.getSeconds() > 0 ? `${clock}:${two(date.getSeconds())}` : clock;
}
