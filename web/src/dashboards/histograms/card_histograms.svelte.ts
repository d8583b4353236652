// The histograms of one card: asked for while it is in sight, again when its runs have grown. Made in a component; ends
// with it.

import { untrack } from "svelte";
import type { ApiError } from "../../api/client";
import { LatestAnswer } from "../../api/latest_answer.svelte";
import type { Session } from "../../state/session.svelte";
import type { HistogramSeries } from "./histogram_data";
import { deskOf, type HistogramQuery } from "./histogram_desk";

const NOTHING: readonly HistogramSeries[] = [];

export class CardHistograms {
  readonly #latest: LatestAnswer<HistogramQuery, HistogramSeries[]>;

  /** `wanted`: null while it is not known yet what to ask for. */
  constructor(
    private readonly session: Session,
    private readonly wanted: () => HistogramQuery | null,
    place: () => number,
    isWanted: () => boolean,
  ) {
    const desk = deskOf(session);
    this.#latest = new LatestAnswer((query, signal) => desk.ask(query, place, signal));
    // Outside: the server is asked for what is visible only.
    $effect(() => {
      const query = wanted();
      if (isWanted() && query) this.#latest.want(this.#key as string, query);
      else untrack(() => this.#latest.rest());
    });
    $effect(() => {
      const { answer } = this.#latest;
      if (!isWanted() || !answer) return;
      const runs = answer.query.series.map(({ run }) => run);
      const generation = Math.min(...answer.value.map((each) => each.generation));
      if (answer.value.length > 0 && session.changes.isNewer(generation, runs)) untrack(() => this.#latest.refresh());
    });
    $effect(() => {
      if (session.connection === "open" && untrack(() => this.#latest.error?.cause.code === "unreachable"))
        this.#latest.retry();
    });
    $effect(() => () => this.#latest.end());
  }

  readonly #key = $derived.by((): string | null => {
    const query = this.wanted();
    return query && JSON.stringify([this.session.changes.epoch, query]);
  });
  /** The last answer, until a better one is there. */
  readonly series = $derived.by((): readonly HistogramSeries[] => this.#latest.answer?.value ?? NOTHING);
  readonly hasAnswer = $derived.by(() => this.#latest.answer !== null);
  /** It is the answer to what is wanted now. */
  readonly isCurrent = $derived.by(() => this.#key !== null && this.#latest.answer?.key === this.#key);
  readonly error = $derived.by((): ApiError | null => {
    const { error, answer } = this.#latest;
    return error && error.key === this.#key && !(answer && error.cause.code === "unreachable") ? error.cause : null;
  });

  retry(): void {
    this.#latest.retry();
  }
}
