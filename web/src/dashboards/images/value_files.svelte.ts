// What the files of a value are: how many, how large, and what keeps them from being shown. Most series log the same
// number at every step, so what is known of one value stands for the next until that has been asked for. Made in a
// component; ends with it.

import type { ApiError } from "../../api/http";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import type { Sample } from "../../state/cursor/step_cursor";
import { type ImageSample, keyOf, listFiles } from "./ask";

// While steps fly past, their lists would only keep the pictures waiting.
const REST_MS = 150;

export class ValueFiles {
  readonly #data: CardData<Sample, readonly ImageSample[]>;
  /** The value that has been looked at for long enough. */
  #due = $state.raw<Sample | null>(null);

  /** `isSeen`: only what somebody looks at is asked for. `isUrgent`: what is known does not do. */
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

  /** Of this value, or for want of that of the one before it; null: nothing is known yet. */
  readonly files = $derived.by((): readonly ImageSample[] | null => this.#data.value);
  /** Whether they are those of the value that is asked about. */
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
