// Values of counters in readable units, and the top of their axis.

import { formatRough } from "../../../base/format";
import type { Counter } from "../answer";

/** Three digits: 12.4 GiB, 97.5 %. */
export function formatCounter(value: number, unit: string): string {
  if (value === 0) return "0";
  if (unit !== "bytes") return `${formatRough(value)}${unit ? ` ${unit}` : ""}`;
  const power = Math.min(BINARY.length - 1, Math.floor(Math.log2(Math.max(1, Math.abs(value))) / 10));
  return `${formatRough(value / 1024 ** power)} ${BINARY[power]}`;
}
const BINARY = ["B", "KiB", "MiB", "GiB", "TiB"];

/** The axis that some counters share: from 0, or below it, to a round number. */
export function axisOf(counters: readonly Counter[]): { low: number; high: number; unit: string } {
  const unit = counters[0]?.unit ?? "";
  const [low, high] = [
    Math.min(0, ...counters.map(({ min }) => Number(min) || 0)),
    Math.max(...counters.map(({ max }) => Number(max) || 0)),
  ];
  return { low, high: axisTop(high, unit), unit };
}

/** A round number at or above the highest value. */
export function axisTop(max: number, unit: string): number {
  if (!(max > 0)) return 1;
  const base = unit === "bytes" ? 1024 ** Math.floor(Math.log(max) / Math.log(1024)) : 1;
  const value = max / base;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power * base;
}
