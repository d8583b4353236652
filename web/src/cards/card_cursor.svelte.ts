// Which value of a series a card shows: at the shared step cursor, or at its own. Created in a component and ends with
// it.

import type { ApiError } from "../api/http";
import type { SeriesSteps } from "../api/steps";
import type { Kind } from "../api/types";
import type { Session } from "../state/session.svelte";
import { findNearest, placesOn, type Sample, sampleAt } from "../state/cursor/step_cursor";

const NOWHERE = new Float64Array();

/** Position of the card's cursor; null: the latest. */
export function placeOf({ settings, cursor }: Session, id: string): number | null {
  const own = settings.isCursorLinked ? undefined : settings.card(id).at;
  return own === undefined ? cursor.at : cursor.placeOf(own);
}

/** Moves the cursor of the card, or the shared one; returns what moves it back. */
export function setPlace({ settings, cursor }: Session, id: string, at: number | null): () => void {
  if (settings.isCursorLinked) {
    const before = settings.cursor;
    cursor.set(at);
    return () => settings.set({ cursor: before });
  }
  const before = settings.card(id).at;
  settings.setCard(id, { at: at === null ? null : { axis: settings.cursorAxis, at } });
  return () => settings.setCard(id, { at: before });
}

/** Each value's position on the cursor's axis. `start`: of its run. */
export const placesIn = (
  { runs, settings }: Session,
  series: SeriesSteps,
  start = runs.byName.get(series.run)?.start_time,
): Float64Array => placesOn(settings.cursorAxis, series, Number(start ?? series.wallTime[0] ?? 0));

export class CardCursor {
  /** Loads only while `isWanted`. */
  constructor(
    private readonly session: Session,
    private readonly id: () => string,
    private readonly ref: () => { readonly kind: Kind; readonly run: string; readonly tag: string },
    isWanted: () => boolean,
  ) {
    // Outside: steps are listed while the card is visible.
    $effect(() => {
      const { kind, run, tag } = ref();
      if (isWanted()) return session.samples.watch(kind, run, tag);
      return undefined;
    });
  }

  readonly #listed = $derived.by(() => {
    const { kind, run, tag } = this.ref();
    return this.session.samples.read(kind, run, tag);
  });
  readonly series = $derived.by((): SeriesSteps | null => this.#listed?.steps ?? null);
  readonly error = $derived.by((): ApiError | null => this.#listed?.error ?? null);
  /** Listed, without values. */
  readonly isEmpty = $derived.by(() => this.#listed !== null && !this.error && (this.series?.step.length ?? 0) === 0);

  readonly #start = $derived.by(() => this.session.runs.byName.get(this.ref().run)?.start_time);
  readonly places = $derived.by((): Float64Array => (this.series ? this.placesIn(this.series) : NOWHERE));
  /** Null: the latest. */
  readonly at = $derived.by((): number | null => placeOf(this.session, this.id()));
  /** Index of the value that is shown; -1 without any. */
  readonly index = $derived.by(() => findNearest(this.places, this.at, this.session.cursor.range));
  /** No value at the cursor; the nearest is shown. */
  readonly isNearest = $derived.by(() => this.at !== null && this.index >= 0 && this.places[this.index] !== this.at);
  readonly sample = $derived.by((): Sample | null => (this.series ? sampleAt(this.series, this.index) : null));

  /** Like the function, for values of this run: the same while other runs grow. */
  placesIn(series: SeriesSteps): Float64Array {
    return placesIn(this.session, series, this.#start ?? null);
  }

  /** Returns what moves it back. */
  move(index: number): () => void {
    const last = this.places.length - 1;
    const place = this.places[Math.min(Math.max(index, 0), last)];
    return place === undefined ? () => {} : setPlace(this.session, this.id(), place);
  }

  follow(): void {
    setPlace(this.session, this.id(), null);
  }

  retry(): void {
    const { kind, run, tag } = this.ref();
    this.session.samples.retry(kind, run, tag);
  }
}
