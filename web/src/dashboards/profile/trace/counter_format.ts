// Values of counters in readable units, and the top of their axis.

import { formatRough } from "../../../base/format";
import { formatTime } from "./time_format";

export const formatCounter = (value: number, unit: string): string =>
  unit === "bytes"
    ? value === 0
      ? "0"
      : formatTime(Number(value.toPrecision(3)), "bytes")
    : `${formatRough(value)}${unit && value !== 0 ? ` ${unit}` : ""}`;

/** A round number at or above the highest value. */
export function axisTop(max: number, unit: string): number {
  if (!(max > 0)) return 1;
  const base = unit === "bytes" ? 1024 ** Math.floor(Math.log(max) / Math.log(1024)) : 1;
  const value = max / base;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power * base;
}
