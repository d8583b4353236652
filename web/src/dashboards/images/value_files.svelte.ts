// What the files of a value are: how many, how large, and what keeps them from being shown. Most series log the same
// number at every step, so what is known of one value stands for the next until that has been asked for. Made in a
// component; ends with it.

import type { ApiError, Client } from "../../api/client";
import { LatestAnswer } from "../../api/latest_answer.svelte";
import type { Sample } from "../../state/cursor/step_cursor";
import { type ImageSample, keyOf, listFiles } from "./images_api";

// While steps fly past, their lists would only keep the pictures waiting.
const REST_MS = 150;

export class ValueFiles {
  readonly #latest: LatestAnswer<Sample, readonly ImageSample[]>;

  /** `isSeen`: only what somebody looks at is asked for. `isUrgent`: what is known does not do. */
  constructor(
    client: Client,
    private readonly value: () => Sample | null,
    isSeen: () => boolean,
    isUrgent: () => boolean,
  ) {
    this.#latest = new LatestAnswer((asked, signal) => listFiles(client, asked, signal));
    // Outside: the server, and the clock.
    $effect(() => {
      const wanted = value();
      if (!wanted || !isSeen()) return this.#latest.rest();
      const ask = (): void => this.#latest.want(keyOf(wanted), wanted);
      if (isUrgent()) return ask();
      const timer = setTimeout(ask, REST_MS);
      return () => clearTimeout(timer);
    });
    $effect(() => () => this.#latest.end());
  }

  /** Of this value, or for want of that of the one before it; null: nothing is known yet. */
  readonly files = $derived.by((): readonly ImageSample[] | null => this.#latest.answer?.value ?? null);
  /** Whether they are those of the value that is asked about. */
  readonly isExact = $derived.by(() => {
    const value = this.value();
    return value !== null && this.#latest.answer?.key === keyOf(value);
  });
  readonly error = $derived.by((): ApiError | null => {
    const value = this.value();
    return value && this.#latest.error?.key === keyOf(value) ? this.#latest.error.cause : null;
  });

  retry(): void {
    this.#latest.retry();
  }
}
