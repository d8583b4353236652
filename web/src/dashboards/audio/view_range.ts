// Which part of a clip is visible: all of it, or a time range. Pure.

export type TimeRange = readonly [fromS: number, toS: number];

const SHORTEST_S = 0.001;

/** Moves and shortens the range to fit the clip; null is the whole clip. */
export function fitRange(range: TimeRange | null, durationS: number): TimeRange {
  if (!range) return [0, durationS];
  const length = Math.min(Math.max(range[1] - range[0], Math.min(SHORTEST_S, durationS)), durationS);
  const from = Math.min(Math.max(range[0], 0), durationS - length);
  return [from, from + length];
}

/** Scales the range by `factor` around `atS`; null when that is the whole clip. */
export function zoomRange([from, to]: TimeRange, atS: number, factor: number, durationS: number): TimeRange | null {
  const zoomed = fitRange([atS - (atS - from) * factor, atS + (to - atS) * factor], durationS);
  return zoomed[1] - zoomed[0] >= durationS ? null : zoomed;
}

export function panRange([from, to]: TimeRange, byS: number, durationS: number): TimeRange {
  return fitRange([from + byS, to + byS], durationS);
}
