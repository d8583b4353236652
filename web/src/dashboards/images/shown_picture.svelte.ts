// The picture of a file that changes quickly: the last one stays until the next is decoded, and those beside it are
// fetched while there is time. Made in a component; ends with it.

import { ApiError, type Client } from "../../api/client";
import { LatestAnswer } from "../../api/latest_answer.svelte";
import type { Decoded } from "./decode/decode";
import { addressOf, type FileRef } from "./images_api";
import { pictures } from "./pictures";

// Larger ones would drive everything else out of the store.
const MAX_AHEAD_PIXELS = 2 ** 22;

export class ShownPicture {
  readonly #latest: LatestAnswer<FileRef, Decoded>;

  /** `isSeen`: only what somebody looks at is asked for. `ahead`: files that may be next. */
  constructor(
    private readonly client: Client,
    private readonly wanted: () => FileRef | null,
    isSeen: () => boolean,
    ahead: () => readonly FileRef[] = () => [],
  ) {
    this.#latest = new LatestAnswer(async (file, signal) => {
      try {
        return await pictures.load(addressOf(client, file), signal);
      } catch (cause) {
        // A browser's words for a picture that it cannot decode are a name and a colon too many.
        throw cause instanceof ApiError || signal.aborted
          ? cause
          : new ApiError("undecodable", cause instanceof Error ? cause.message : String(cause));
      }
    });
    // Outside: the picture itself, asked for before anything is drawn around it.
    $effect.pre(() => {
      const file = wanted();
      if (file && isSeen()) this.#latest.want(this.#wantedKey, file);
      else this.#latest.rest();
    });
    $effect(() => {
      const { answer } = this.#latest;
      return answer ? pictures.hold(answer.key) : undefined;
    });
    $effect(() => {
      const isSmall = this.picture !== null && this.picture.width * this.picture.height <= MAX_AHEAD_PIXELS;
      pictures.expect(this, isSmall && this.isCurrent ? ahead().map((file) => addressOf(client, file)) : []);
    });
    $effect(() => () => {
      this.#latest.end();
      pictures.expect(this, []);
    });
  }

  readonly #wantedKey = $derived.by(() => {
    const file = this.wanted();
    return file ? addressOf(this.client, file) : "";
  });
  /** What is to be seen now, if only for the moment. */
  readonly picture = $derived.by((): Decoded | null => this.#latest.answer?.value ?? null);
  readonly file = $derived.by((): FileRef | null => this.#latest.answer?.query ?? null);
  /** It is the one that is wanted. */
  readonly isCurrent = $derived.by(() => this.#wantedKey !== "" && this.#latest.answer?.key === this.#wantedKey);
  /** Why the one that is wanted did not come. */
  readonly error = $derived.by((): ApiError | null =>
    this.#latest.error?.key === this.#wantedKey ? this.#latest.error.cause : null,
  );

  retry(): void {
    this.#latest.retry();
  }
}
