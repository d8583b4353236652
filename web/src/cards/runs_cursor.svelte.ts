// Which value of each run a card shows: the nearest to the shared step cursor, or to the card's own. Created in a
// component and ends with it.

import type { ApiError } from "../api/http";
import type { Kind } from "../api/types";
import { placeOf, placesIn, setPlace } from "./card_cursor.svelte";
import type { Session } from "../state/session.svelte";
import { findNearest, type Sample, sampleAt, unitePlaces } from "../state/cursor/step_cursor";

export interface RunSample extends Sample {
  /** No value at the cursor. */
  readonly isNearest: boolean;
}

export class RunsCursor {
  /** Loads only while `isWanted`. */
  constructor(
    private readonly session: Session,
    private readonly id: () => string,
    private readonly ref: () => { readonly kind: Kind; readonly tag: string; readonly runs: readonly string[] },
    isWanted: () => boolean,
  ) {
    // Outside: steps are listed while the card is visible.
    $effect(() => {
      const { kind, tag, runs } = ref();
      if (!isWanted()) return undefined;
      const ends = runs.map((run) => session.samples.watch(kind, run, tag));
      return () => {
        for (const end of ends) end();
      };
    });
  }

  readonly #listed = $derived.by(() => {
    const { kind, tag, runs } = this.ref();
    return runs.map((run) => this.session.samples.read(kind, run, tag));
  });
  /** The steps of every run are listed. */
  readonly isListed = $derived.by(() => this.#listed.every((each) => each !== null));
  readonly error = $derived.by((): ApiError | null => this.#listed.find((each) => each?.error)?.error ?? null);

  readonly #placed = $derived.by(() =>
    this.#listed.flatMap((each) => {
      const series = each?.steps;
      return series ? [{ series, places: placesIn(this.session, series) }] : [];
    }),
  );
  /** Positions of all values of all runs. */
  readonly places = $derived.by((): Float64Array => unitePlaces(this.#placed.map(({ places }) => places)));
  /** Null: the latest. */
  readonly at = $derived.by((): number | null => placeOf(this.session, this.id()));
  /** Of the nearest position; -1 without any. */
  readonly index = $derived.by(() => findNearest(this.places, this.at, this.session.cursor.range));
  readonly isNearest = $derived.by(() => this.at !== null && this.index >= 0 && this.places[this.index] !== this.at);

  /** One per run that has values. */
  readonly samples = $derived.by((): readonly RunSample[] => {
    const { at } = this;
    return this.#placed.flatMap(({ series, places }) => {
      const nearest = findNearest(places, at, this.session.cursor.range);
      const sample = sampleAt(series, nearest);
      return sample ? [{ ...sample, isNearest: at !== null && places[nearest] !== at }] : [];
    });
  });

  move(index: number): void {
    const place = this.places[Math.min(Math.max(index, 0), this.places.length - 1)];
    if (place !== undefined) setPlace(this.session, this.id(), place);
  }

  follow(): void {
    setPlace(this.session, this.id(), null);
  }

  retry(): void {
    const { kind, tag, runs } = this.ref();
    for (const run of runs) this.session.samples.retry(kind, run, tag);
  }
}
