// Requests what a timeline shows and keeps the answers: slices and counters by window, arrows and idle time of the
// view. One request of a kind at a time, then the newest wish, so that a fast hand does not flood the server.

import { ApiError } from "../../../api/http";
import type { About, Gap } from "../answer";
import type { CounterPoints, Flows } from "./answer";
import type { SearchQuery, TraceSource } from "./source";
import type { Span } from "./span";
import { boundsOf, type SliceWindow, type Window, windowFor, Windows } from "./windows";

/** Points of counters in a window: those of one counter are contiguous. */
export interface CounterWindow extends Window {
  readonly points: CounterPoints;
  readonly bounds: ReadonlyMap<number, readonly [number, number]>;
}

/** Arrows, with times from the origin. */
export interface LoadedFlows {
  readonly key: string;
  readonly from: number;
  readonly flows: Flows;
}
export interface LoadedGaps {
  readonly key: string;
  readonly gaps: readonly Gap[];
}

export interface Wish {
  readonly view: Span;
  readonly widthPx: number;
  readonly tracks: readonly number[];
  /** Near the visible ones; asked for when those are there. */
  readonly tracksNear: readonly number[];
  readonly counters: readonly number[];
  readonly search: SearchQuery | null;
  /** Arrows of this event, of all, or none. */
  readonly arrows: number | "all" | null;
  readonly minGap: number | null;
  readonly gapTracks: readonly number[];
}

const MOST_PX = 16_000;
/** As many as one request may name. */
const MOST_TRACKS = 4_096;
const MOST_GAPS = 400;
/** Arrows and idle time wait until the view rests this long. */
const REST_MS = 90;
const RETRY_MS = 2_000;

export const searchKey = (search: SearchQuery | null): string =>
  search ? `${search.in} ${search.mode} ${search.q}` : "";

export class Loading {
  /** Grows with every answer. */
  version = $state(0);
  error = $state.raw<ApiError | null>(null);
  /** Whether the newest wish is fulfilled, as far as slices and counters go. */
  isCurrent = $state(false);
  flows = $state.raw<LoadedFlows | null>(null);
  gaps = $state.raw<LoadedGaps | null>(null);

  readonly slices: Windows<SliceWindow>;
  readonly counters: Windows<CounterWindow>;
  readonly whole: Span;
  #wish: Wish | null = null;
  #isAskingSlices = false;
  #isAskingCounters = false;
  #isEnded = false;
  #lastId = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #asked = { flows: "", gaps: "" };
  readonly #abort = new AbortController();

  constructor(
    private readonly source: TraceSource,
    about: About,
    /** New windows go to whoever draws. */
    private readonly onwindow: (window: SliceWindow | CounterWindow) => void,
  ) {
    this.whole = { from: 0, to: Math.max(1, about.end_ps) };
    this.slices = new Windows(() => this.whole);
    this.counters = new Windows(() => this.whole);
  }

  end(): void {
    this.#isEnded = true;
    this.#abort.abort();
    clearTimeout(this.#rest);
    clearTimeout(this.#retry);
  }

  want(wish: Wish): void {
    this.#wish = wish;
    void this.#askSlices();
    void this.#askCounters();
    this.#tellCurrent();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#askRest(), REST_MS);
  }

  #tellCurrent(): void {
    const isCurrent =
      this.#wish !== null && this.#missing(this.#wish, false).length === 0 && this.#missingCounters().length === 0;
    if (this.isCurrent !== isCurrent) this.isCurrent = isCurrent;
  }

  #missing(wish: Wish, isNear: boolean): readonly number[] {
    const { view, widthPx } = wish;
    const perPx = (view.to - view.from) / widthPx;
    const search = searchKey(wish.search);
    return (isNear ? wish.tracksNear : wish.tracks)
      .filter((track) => !this.slices.isGood(track, view, perPx, search))
      .slice(0, MOST_TRACKS);
  }

  #missingCounters(): readonly number[] {
    if (!this.#wish) return [];
    const { view, widthPx, counters } = this.#wish;
    const perPx = (view.to - view.from) / widthPx;
    return counters.filter((counter) => !this.counters.isGood(counter, view, perPx, "")).slice(0, MOST_TRACKS);
  }

  async #askSlices(): Promise<void> {
    if (this.#isAskingSlices) return;
    this.#isAskingSlices = true;
    try {
      while (!this.#isEnded && this.#wish) {
        const wish = this.#wish;
        let tracks = this.#missing(wish, false);
        if (tracks.length === 0) tracks = this.#missing(wish, true);
        if (tracks.length === 0) break;
        await this.#loadSlices(wish, tracks);
      }
    } catch (cause) {
      this.#fail(cause);
    } finally {
      this.#isAskingSlices = false;
      this.#tellCurrent();
    }
  }

  async #loadSlices({ view, widthPx, search }: Wish, tracks: readonly number[]): Promise<void> {
    const { from, to, width, perPx } = windowFor(view, (view.to - view.from) / widthPx, this.whole, MOST_PX);
    const asked = { from_ps: from, to_ps: to, width, tracks, ...(search && search.q !== "" ? search : {}) };
    const slices = await this.source.slices(asked, this.#abort.signal);
    if (this.#isEnded) return;
    const window: SliceWindow = {
      ...{ id: ++this.#lastId, from, to, perPx, search: searchKey(search), keys: new Set(tracks) },
      bytes: slices.track.length * 80,
      slices,
      rows: boundsOf(slices),
    };
    this.slices.add(window);
    this.onwindow(window);
    this.error = null;
    this.version++;
  }

  async #askCounters(): Promise<void> {
    if (this.#isAskingCounters) return;
    this.#isAskingCounters = true;
    try {
      while (!this.#isEnded && this.#wish) {
        const counters = this.#missingCounters();
        if (counters.length === 0) break;
        const { view, widthPx } = this.#wish;
        const { from, to, width, perPx } = windowFor(view, (view.to - view.from) / widthPx, this.whole, MOST_PX);
        const points = await this.source.counters({ from_ps: from, to_ps: to, width, counters }, this.#abort.signal);
        if (this.#isEnded) return;
        const window: CounterWindow = {
          ...{ id: ++this.#lastId, from, to, perPx, search: "", keys: new Set(counters) },
          bytes: points.counter.length * 40,
          points,
          bounds: counterBounds(points.counter),
        };
        this.counters.add(window);
        this.onwindow(window);
        this.version++;
      }
    } catch (cause) {
      this.#fail(cause);
    } finally {
      this.#isAskingCounters = false;
      this.#tellCurrent();
    }
  }

  #fail(cause: unknown): void {
    if (this.#isEnded) return;
    this.error = cause instanceof ApiError ? cause : new ApiError("internal", String(cause));
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      void this.#askSlices();
      void this.#askCounters();
    }, RETRY_MS);
  }

  #askRest(): void {
    const wish = this.#wish;
    if (!wish || this.#isEnded) return;
    const { view, widthPx, arrows, minGap, gapTracks } = wish;
    const extent = { from_ps: view.from, to_ps: view.to, width: Math.round(widthPx) };
    const { signal } = this.#abort;
    // The chain of one event is wherever it is: it does not depend on the view.
    const flowsKey =
      arrows === null ? "" : arrows === "all" ? `all ${view.from} ${view.to} ${wish.tracks.join()}` : `${arrows}`;
    if (flowsKey !== this.#asked.flows) {
      this.#asked.flows = flowsKey;
      if (arrows === null) this.flows = null;
      else {
        const whole = { from_ps: this.whole.from, to_ps: this.whole.to, width: extent.width };
        const asked = arrows === "all" ? { ...extent, event: null } : { ...whole, event: arrows };
        this.source.flows({ ...asked, tracks: wish.tracks.slice(0, MOST_TRACKS) }, signal).then(
          (flows) => {
            if (this.#asked.flows === flowsKey) this.flows = { key: flowsKey, from: asked.from_ps, flows };
          },
          () => (this.#asked.flows = ""),
        );
      }
    }
    const gapsKey = minGap === null || gapTracks.length === 0 ? "" : `${minGap} ${view.from} ${view.to}`;
    if (gapsKey !== this.#asked.gaps) {
      this.#asked.gaps = gapsKey;
      if (minGap === null || gapTracks.length === 0) this.gaps = null;
      else {
        // Of short idle times that are a few pixels wide nothing can be read.
        const least = Math.max(minGap, ((view.to - view.from) / widthPx) * 3);
        const length = view.to - view.from;
        const range = { from_ps: view.from - length * 0.5, to_ps: view.to + length * 0.5 };
        this.source.gaps({ ...range, min_ps: least, limit: MOST_GAPS, tracks: null }, signal).then(
          ({ gaps }) => {
            if (this.#asked.gaps === gapsKey) this.gaps = { key: gapsKey, gaps };
          },
          () => (this.#asked.gaps = ""),
        );
      }
    }
  }
}

function counterBounds(counter: Int32Array): ReadonlyMap<number, readonly [number, number]> {
  const bounds = new Map<number, readonly [number, number]>();
  for (let i = 0; i < counter.length;) {
    const id = counter[i] as number;
    let end = i;
    while (end < counter.length && counter[end] === id) end++;
    bounds.set(id, [i, end]);
    i = end;
  }
  return bounds;
}
