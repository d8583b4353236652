// Which value of each of several runs a card shows: for every run the one nearest to the cursor of all cards, or to the
// card's own. Made in a component; ends with it.

import type { ApiError } from "../api/http";
import type { Kind } from "../api/types";
import { placeOf, setPlace } from "./card_cursor.svelte";
import type { Session } from "../state/session.svelte";
import { findNearest, placesOn, type Sample, sampleAt, unitePlaces } from "../state/cursor/step_cursor";

export interface RunSample extends Sample {
  /** Nothing was logged just where the cursor stands. */
  readonly isNearest: boolean;
}

export class RunsCursor {
  /** `isWanted`: only a card in sight asks. */
  constructor(
    private readonly session: Session,
    private readonly id: () => string,
    private readonly ref: () => { readonly kind: Kind; readonly tag: string; readonly runs: readonly string[] },
    isWanted: () => boolean,
  ) {
    // Outside: the server is asked for what is visible only.
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
  /** Of every run it is known what there is. */
  readonly isListed = $derived.by(() => this.#listed.every((each) => each !== null));
  readonly error = $derived.by((): ApiError | null => this.#listed.find((each) => each?.error)?.error ?? null);

  readonly #placed = $derived.by(() =>
    this.#listed.flatMap((each) => {
      const series = each?.steps;
      if (!series) return [];
      const start = this.session.runs.byName.get(series.run)?.start_time;
      return [
        {
          series,
          places: placesOn(this.session.settings.cursorAxis, series, Number(start ?? series.wallTime[0] ?? 0)),
        },
      ];
    }),
  );
  /** Where any of the runs has a value, on the cursor's axis. */
  readonly places = $derived.by((): Float64Array => unitePlaces(this.#placed.map(({ places }) => places)));
  /** Where it was asked to stand; null: at the newest. */
  readonly at = $derived.by((): number | null => placeOf(this.session, this.id()));
  /** Of the place that is nearest to it; -1 without any. */
  readonly index = $derived.by(() => findNearest(this.places, this.at));
  readonly isNearest = $derived.by(() => this.at !== null && this.index >= 0 && this.places[this.index] !== this.at);

  /** One a run that has any. */
  readonly samples = $derived.by((): readonly RunSample[] => {
    const { at } = this;
    return this.#placed.flatMap(({ series, places }) => {
      const nearest = findNearest(places, at);
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
