// How the visible time moves: by keys that are held, by factors, and to another range.

import type { Span } from "./span";

/** A view this short shows single picoseconds. */
const SHORTEST = 1_000;
/** The view may go this many of its widths beyond the trace. */
const BEYOND = 0.25;

/** Within the trace, or a little beside it, and not longer than a little more than all of it. */
export function keepInside({ from, to }: Span, end: number): Span {
  const longest = Math.max(end * 1.1, SHORTEST);
  const length = Math.min(Math.max(to - from, SHORTEST), longest);
  const middle = (from + to) / 2;
  const margin = length * BEYOND;
  const start = Math.min(Math.max(middle - length / 2, -margin), Math.max(end - length + margin, -margin));
  return { from: start, to: start + length };
}

/** The view is `factor` times as long, and the moment `at` stays where it is. */
export function zoomAt({ from, to }: Span, factor: number, at: number, end: number): Span {
  const length = Math.min(Math.max((to - from) * factor, SHORTEST), Math.max(end * 1.1, SHORTEST));
  const share = (at - from) / (to - from);
  return keepInside({ from: at - length * share, to: at + length * (1 - share) }, end);
}

/** By this share of its length. */
export function panBy({ from, to }: Span, share: number, end: number): Span {
  const shift = (to - from) * share;
  return keepInside({ from: from + shift, to: to + shift }, end);
}

/** A range with some room on either side. */
export function withMargin({ from, to }: Span, end: number, share = 0.08): Span {
  const room = Math.max((to - from) * share, SHORTEST / 4);
  return keepInside({ from: from - room, to: to + room }, end);
}

/** Between two views: lengths change by equal factors in equal times, so that zooming looks even. */
export function between(a: Span, b: Span, share: number): Span {
  if (share >= 1) return b;
  const [lengthA, lengthB] = [a.to - a.from, b.to - b.from];
  const length = lengthA * (lengthB / lengthA) ** share;
  // The point that keeps its place on the screen, if there is one.
  const shift = Math.abs(lengthB - lengthA) < lengthA * 1e-6 ? share : (length - lengthA) / (lengthB - lengthA);
  const from = a.from + (b.from - a.from) * shift;
  return { from, to: from + length };
}

export const easeOut = (share: number): number => 1 - (1 - share) ** 3;

/** What the held keys do: widths per second, and factors of the length per second. */
export interface Held {
  readonly pan: -1 | 0 | 1;
  readonly zoom: -1 | 0 | 1;
}
const PAN_PER_S = 1.2;
const ZOOM_PER_S = 6;
/** The share of full speed after this many milliseconds. */
const FULL_SPEED_MS = 220;

/** The view after some milliseconds with keys held; faster the longer they are. */
export function holdKeys(view: Span, { pan, zoom }: Held, at: number, heldMs: number, ms: number, end: number): Span {
  const speed = 0.35 + 0.65 * Math.min(1, heldMs / FULL_SPEED_MS);
  const seconds = (ms / 1000) * speed;
  const zoomed = zoom === 0 ? view : zoomAt(view, ZOOM_PER_S ** (-zoom * seconds), at, end);
  return pan === 0 ? zoomed : panBy(zoomed, pan * PAN_PER_S * seconds, end);
}

const HELD: Readonly<Record<string, Held>> = {
  w: { pan: 0, zoom: 1 },
  s: { pan: 0, zoom: -1 },
  a: { pan: -1, zoom: 0 },
  d: { pan: 1, zoom: 0 },
};
export const heldBy = (key: string): Held | undefined => HELD[key];
export const joinHeld = (keys: Iterable<string>): Held => {
  let [pan, zoom] = [0, 0];
  for (const key of keys) {
    pan += HELD[key]?.pan ?? 0;
    zoom += HELD[key]?.zoom ?? 0;
  }
  return { pan: Math.sign(pan) as Held["pan"], zoom: Math.sign(zoom) as Held["zoom"] };
};
