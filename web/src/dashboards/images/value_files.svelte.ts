// The files of a value: count, sizes and problems. Most series log the same number at every step, so the list of one
// value stands in for the next until its own arrives. Created in a component and ends with it.

import type { ApiError } from "../../api/http";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import type { Sample } from "../../state/cursor/step_cursor";
import { type ImageSample, keyOf, listFiles } from "./ask";

// While the user drags the slider, lists would only delay the images.
const REST_MS = 150;

export class ValueFiles {
  readonly #data: CardData<Sample, readonly ImageSample[]>;
  /** The value that has been shown for long enough. */
  #due = $state.raw<Sample | null>(null);

  /** Loads only while `isSeen`. `isUrgent`: without delay. */
  constructor(
    session: Session,
    private readonly value: () => Sample | null,
    isSeen: () => boolean,
    isUrgent: () => boolean,
  ) {
    // Outside: the clock.
    $effect(() => {
      const next = isSeen() ? value() : null;
      const set = (): void => void (this.#due = next);
      if (!next || isUrgent()) return set();
      const timer = setTimeout(set, REST_MS);
      return () => clearTimeout(timer);
    });
    this.#data = new CardData<Sample, readonly ImageSample[]>(
      session,
      (asked, signal) => listFiles(session.client, asked, signal),
      { wanted: () => this.#due && { key: keyOf(this.#due), query: this.#due }, isWanted: isSeen },
    );
  }

  /** Of this value, or of the one before it; null: not loaded yet. */
  readonly files = $derived.by((): readonly ImageSample[] | null => this.#data.value);
  /** `files` is of this value. */
  readonly isExact = $derived.by(() => {
    const value = this.value();
    return value !== null && this.#data.answer?.key === keyOf(value);
  });
  readonly error = $derived.by((): ApiError | null => {
    const value = this.value();
    return value && this.#data.key === keyOf(value) ? this.#data.failure : null;
  });

  retry(): void {
    this.#data.retry();
  }
}
