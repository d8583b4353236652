// Answers that were loaded, each for a range of time at some resolution, and which of them to draw: moving the view
// draws at once from what is there.

import type { Slices } from "./answer";
import type { Span } from "./span";

/** What an answer is good for. */
export interface Window extends Span {
  readonly id: number;
  /** Picoseconds per pixel that it was asked with. */
  readonly perPx: number;
  /** What was searched for. */
  readonly search: string;
  readonly keys: ReadonlySet<number>;
  readonly bytes: number;
}

/** A part of the view, and the answer to draw it from. */
export interface Piece<W extends Window> extends Span {
  readonly window: W;
}

/** Answers are asked for this much finer than the view, so that zooming in a little needs none. */
export const FINER = 1.5;
/** … and this much wider on either side, in widths of the view. */
export const MARGIN = 0.75;
// Coarser than the view: too few events and labels. Much finer: too many rectangles.
const COARSEST = 1.02;
const FINEST = 0.3;
// Within this many widths of the view from the end of an answer, more is asked for.
const NEAR_END = 0.2;
// An answer of the right resolution is better than one that covers more.
const FIT = 10;
const MOST_BYTES = 96e6;
const MOST_WINDOWS = 48;

export class Windows<W extends Window> {
  /** The oldest first. */
  #list: W[] = [];
  #bytes = 0;
  /** Those that went since this was read last. */
  #gone: number[] = [];

  constructor(
    /** Times at which there is nothing more. */
    private readonly whole: () => Span,
  ) {}

  get size(): number {
    return this.#list.length;
  }

  add(window: W): void {
    this.#list.push(window);
    this.#bytes += window.bytes;
    while (this.#list.length > 1 && (this.#bytes > MOST_BYTES || this.#list.length > MOST_WINDOWS)) {
      // The coarsest shows something wherever the view goes; it stays.
      const coarsest = this.#list.reduce((a, b) => (b.perPx > a.perPx ? b : a));
      const at = this.#list.findIndex((each) => each !== coarsest && each !== window);
      if (at < 0) break;
      const [old] = this.#list.splice(at, 1) as [W];
      this.#bytes -= old.bytes;
      this.#gone.push(old.id);
    }
  }

  clear(): void {
    this.#gone.push(...this.#list.map(({ id }) => id));
    this.#list = [];
    this.#bytes = 0;
  }

  takeGone(): number[] {
    return this.#gone.splice(0);
  }

  /** How far a view must be covered: to the ends of the trace. */
  #needed({ from, to }: Span): Span {
    const whole = this.whole();
    return { from: Math.max(from, whole.from), to: Math.min(to, whole.to) };
  }

  /** Whether a key needs no request: what is there covers the view, finely enough. */
  isGood(key: number, view: Span, perPx: number, search: string): boolean {
    const near = (view.to - view.from) * NEAR_END;
    const needed = this.#needed({ from: view.from - near, to: view.to + near });
    return this.#list.some(
      (each) =>
        each.keys.has(key) &&
        each.search === search &&
        each.from <= needed.from &&
        each.to >= needed.to &&
        each.perPx <= perPx * COARSEST &&
        each.perPx >= perPx * FINEST,
    );
  }

  /** What to draw of a key: the best answer, and others where it ends. Latest answers first among equals. */
  pieces(key: number, view: Span, perPx: number, search: string): Piece<W>[] {
    const needed = this.#needed(view);
    const pieces: Piece<W>[] = [];
    if (needed.to <= needed.from) return pieces;
    const having = this.#list.filter((each) => each.keys.has(key) && each.from < needed.to && each.to > needed.from);
    this.#cover(having, needed, perPx, search, pieces, 3);
    return pieces.sort((a, b) => a.from - b.from);
  }

  #cover(having: readonly W[], part: Span, perPx: number, search: string, into: Piece<W>[], depth: number): void {
    let best: W | null = null;
    let bestScore = -Infinity;
    for (const each of having) {
      const overlap = Math.min(each.to, part.to) - Math.max(each.from, part.from);
      if (overlap <= 0) continue;
      const score = this.#score(each, overlap / (part.to - part.from), perPx, search);
      if (score >= bestScore) [best, bestScore] = [each, score];
    }
    if (!best) return;
    const piece = { window: best, from: Math.max(best.from, part.from), to: Math.min(best.to, part.to) };
    into.push(piece);
    if (depth === 0) return;
    const others = having.filter((each) => each !== best);
    if (piece.from > part.from)
      this.#cover(others, { from: part.from, to: piece.from }, perPx, search, into, depth - 1);
    if (piece.to < part.to) this.#cover(others, { from: piece.to, to: part.to }, perPx, search, into, depth - 1);
  }

  #score(window: W, covered: number, perPx: number, search: string): number {
    const ratio = window.perPx / perPx;
    const isFit = ratio <= COARSEST && ratio >= FINEST;
    const off = isFit ? Math.abs(Math.log2(ratio * FINER)) * 0.1 : Math.abs(Math.log2(ratio)) * 0.2;
    return (isFit ? FIT : 0) + covered * 4 - off + (window.search === search ? 0.3 : 0);
  }
}

/** Slices of a window: where each row of each track begins. */
export interface SliceWindow extends Window {
  readonly slices: Slices;
  readonly rows: ReadonlyMap<number, RowBounds>;
}

/** The rows of one track: `starts[d]` to `starts[d + 1]` are the slices at depth d. */
export interface RowBounds {
  readonly starts: Int32Array;
}

export function boundsOf({ track, depth }: Pick<Slices, "track" | "depth">): ReadonlyMap<number, RowBounds> {
  const bounds = new Map<number, RowBounds>();
  const count = track.length;
  for (let i = 0; i < count;) {
    const id = track[i] as number;
    let end = i;
    while (end < count && track[end] === id) end++;
    const deepest = depth[end - 1] as number;
    const starts = new Int32Array(deepest + 2);
    let at = i;
    for (let d = 0; d <= deepest; d++) {
      starts[d] = at;
      while (at < end && (depth[at] as number) === d) at++;
    }
    starts[deepest + 1] = end;
    bounds.set(id, { starts });
    i = end;
  }
  return bounds;
}

/** The first of these slices that ends after a moment. They are sorted and do not overlap. */
export function firstAfter(slices: Slices, begin: number, end: number, time: number): number {
  const { start, duration } = slices;
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((start[middle] as number) + (duration[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What to ask for, so that the view can move a little: its range and number of pixels. */
export function windowFor(
  view: Span,
  perPx: number,
  whole: Span,
  mostPx: number,
): Span & { width: number; perPx: number } {
  const length = view.to - view.from;
  const finer = perPx / FINER;
  const from = Math.max(whole.from, view.from - length * MARGIN);
  const to = Math.min(whole.to, view.to + length * MARGIN);
  const width = Math.max(1, Math.min(mostPx, Math.ceil((to - from) / finer)));
  return { from, to, width, perPx: (to - from) / width };
}
