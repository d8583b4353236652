// How single numbers are written beside charts: enough digits to tell neighbours apart, and no more.

import { format } from "d3-format";

const MINUS = "−";
const HUGE = 1e9;
const grouped = format(",d");
const short = format(".5~g");
const two = (n: number): string => String(n).padStart(2, "0");

/** 0.22914, 1.2e−5, 12,345.6, NaN, ∞. */
export function formatValue(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(3).replace("e+", "e").replaceAll("-", "−");
  if (size >= 1000) return format(size >= 100_000 ? ",.0f" : ",.1f")(value).replace("-", "−");
  return (size >= 0.1 || size === 0 ? value.toFixed(size >= 100 ? 2 : 4) : short(value)).replace("-", "−");
}

/** Rates from 0 to 1, such as AP, F1 and recall: 0.9412, 0.0300. */
export const formatScore = (value: number): string =>
  Math.abs(value) <= 1 ? value.toFixed(4).replace("-", MINUS) : formatValue(value);

/**
 * How a column of a table writes its numbers: all with as many decimals as the column needs, so that they align at the
 * right; whole numbers have none, but blanks of that width.
 */
export function columnFormat(values: Iterable<number>): (value: number) => string {
  const finite = [...values].filter(Number.isFinite);
  let largest = 0;
  for (const value of finite) largest = Math.max(largest, Math.abs(value));
  const decimals = decimalsOf(finite, largest);
  const write = format(`,.${decimals}f`);
  const blank = decimals > 0 ? `\u2008${"\u2007".repeat(decimals)}` : "";
  const least = 0.5 * 10 ** -decimals;
  return (value) =>
    value === 0 || (Math.abs(value) >= least && Math.abs(value) < HUGE)
      ? (Number.isInteger(value) ? grouped(value) + blank : write(value)).replace("-", MINUS)
      : formatValue(value);
}

/** As many as tell the values of a column apart; not fewer for round ones, so that a live column does not jump. */
function decimalsOf(values: readonly number[], largest: number): number {
  // Where all are tiny, each is written on its own: 0.0001 for 0.00006 would be wrong by more than half.
  if (largest < 1e-4 || values.every(Number.isInteger)) return 0;
  if (largest >= 1_000) return largest >= 100_000 ? 0 : 1;
  if (largest >= 0.1) return largest >= 100 ? 2 : 4;
  // Small numbers are mostly chosen by people, such as learning rates: 0.0010 and 0.0003.
  const most = 3 - Math.floor(Math.log10(largest));
  let decimals = 0;
  for (const value of values) {
    const exact = Number(value.toFixed(most));
    while (decimals < most && Number(value.toFixed(decimals)) !== exact) decimals++;
  }
  return decimals;
}

/** Three digits: 25.9, 5, 3.26e13. */
export function formatRough(value: number): string {
  const size = Math.abs(value);
  const text =
    size !== 0 && (size >= 1e6 || size < 1e-4) ? value.toExponential(2) : String(Number(value.toPrecision(3)));
  return text.replace("e+", "e").replaceAll("-", "−");
}

export function formatStep(step: number): string {
  return (Number.isInteger(step) ? grouped(step) : String(step)).replace("-", "−");
}

const DAY_S = 86_400;
/** Thousands of years: clocks that were wrong. */
const MAX_DAYS = 1e6;

/** 3 s, 4 m 12 s, 2 h 5 m, 3 d 4 h, 3.025e22 d. */
export function formatDuration(seconds: number): string {
  if (!(Math.abs(seconds) < MAX_DAYS * DAY_S)) return `${formatValue(seconds / DAY_S)} d`;
  const sign = seconds < 0 ? "−" : "";
  const s = Math.abs(seconds);
  if (s < 10) return `${sign}${s.toFixed(s < 1 ? 2 : 1)} s`;
  if (s < 60) return `${sign}${Math.round(s)} s`;
  if (s < 3_600) return `${sign}${Math.floor(s / 60)} m ${Math.floor(s % 60)} s`;
  if (s < DAY_S) return `${sign}${Math.floor(s / 3_600)} h ${Math.floor((s % 3_600) / 60)} m`;
  return `${sign}${Math.floor(s / DAY_S)} d ${Math.floor((s % DAY_S) / 3_600)} h`;
}

// By hand: the browser's own formatting takes most of a tooltip's time.
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec".split(" ");

/** 15 Nov. */
export const formatDay = (date: Date): string => `${date.getDate()} ${MONTHS[date.getMonth()]}`;

/**
 * The local time, with the day if it is not that of `now`; without seconds if the year is needed. A time that is no
 * date stays a number of seconds.
 */
export function formatTime(wallTimeS: number, now = new Date()): string {
  const date = new Date(wallTimeS * 1000);
  if (Number.isNaN(date.getTime())) return `${formatValue(wallTimeS)} s`;
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const clock = `${minutes}:${two(date.getSeconds())}`;
  if (date.toDateString() === now.toDateString()) return clock;
  const day = formatDay(date);
  return date.getFullYear() === now.getFullYear() ? `${day} ${clock}` : `${day} ${date.getFullYear()} ${minutes}`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}

/** An x of a time axis in the format of that axis, any other as a value. */
export function formatX(x: number, axis: string): string {
  switch (axis) {
    case "step":
      return formatStep(x);
    case "relative":
      return formatDuration(x);
    case "wall":
      return formatTime(x);
    default:
      return formatValue(x);
  }
}
