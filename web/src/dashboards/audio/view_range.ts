// Which part of a clip is in sight: the whole, or a stretch of it. Pure.

export type Stretch = readonly [fromS: number, toS: number];

const SHORTEST_S = 0.001;

/** The stretch as far as the clip has it; the whole when that is nothing. */
export function fitStretch(stretch: Stretch | null, durationS: number): Stretch {
  if (!stretch) return [0, durationS];
  const length = Math.min(Math.max(stretch[1] - stretch[0], Math.min(SHORTEST_S, durationS)), durationS);
  const from = Math.min(Math.max(stretch[0], 0), durationS - length);
  return [from, from + length];
}

/** A stretch `factor` as long, with the place `atS` staying where it is; null for the whole. */
export function zoomStretch([from, to]: Stretch, atS: number, factor: number, durationS: number): Stretch | null {
  const zoomed = fitStretch([atS - (atS - from) * factor, atS + (to - atS) * factor], durationS);
  return zoomed[1] - zoomed[0] >= durationS ? null : zoomed;
}

export function panStretch([from, to]: Stretch, byS: number, durationS: number): Stretch {
  return fitStretch([from + byS, to + byS], durationS);
}
