// The roofline of a device: what ops compute in a second, against how many operations they do for each byte. Pure.

import type { OpRow } from "./columns";

export interface Peaks {
  /** Operations per second. */
  readonly flops: number;
  /** Bytes per second. */
  readonly bandwidth: number;
}

export interface Dot {
  readonly row: OpRow;
  readonly intensity: number;
  readonly rate: number;
  readonly timePs: number;
  /** How much of what the device could do at this intensity; null: its peaks are not known. */
  readonly share: number | null;
}

/** The most that a device can compute at an intensity. */
export const roof = ({ flops, bandwidth }: Peaks, intensity: number): number => Math.min(flops, bandwidth * intensity);

/** Ops whose operations and bytes are known and that did the work themselves, those with the most time first. */
export function dotsOf(rows: readonly OpRow[], peaks: Peaks | null): readonly Dot[] {
  const dots: Dot[] = [];
  const hasDevice = rows.some(({ device_self_ps, place }) => place === "device" || device_self_ps > 0);
  for (const row of rows) {
    const { intensity, flop_rate: rate } = row;
    if (!intensity || !rate) continue;
    const timePs = row.place === "device" ? row.self_ps : hasDevice ? row.device_self_ps : row.self_ps;
    // An op around others repeats what they did.
    if (timePs < 0.5 * (row.place === "device" || !hasDevice ? row.total_ps : row.device_total_ps)) continue;
    dots.push({ row, intensity, rate, timePs, share: peaks ? rate / roof(peaks, intensity) : null });
  }
  return dots.toSorted((a, b) => b.timePs - a.timePs);
}

/** Whole powers of ten around all values. */
export function decades(values: readonly number[]): readonly [number, number] {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  if (logs.length === 0) return [0, 1];
  const low = Math.floor(Math.min(...logs));
  return [low, Math.max(low + 1, Math.ceil(Math.max(...logs)))];
}

export interface Label {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** Those that stand clear of all before them, by their place in the list. */
export function clearLabels(labels: readonly Label[], heightPx: number): ReadonlySet<number> {
  const kept: number[] = [];
  labels.forEach(({ left, right, y }, i) => {
    const isClear = kept.every((each) => {
      const other = labels[each] as Label;
      return right < other.left || left > other.right || Math.abs(y - other.y) >= heightPx;
    });
    if (isClear) kept.push(i);
  });
  return new Set(kept);
}
