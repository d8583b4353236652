// The image that a card shows: the last one stays until the next is decoded, and neighbours are prefetched. Created in
// a component and ends with it.

import { ApiError } from "../../api/http";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import type { Decoded } from "./decode/decode";
import { addressOf, type FileRef } from "./ask";
import { pictures } from "./picture_store";

// Larger ones would evict everything else from the cache.
const MAX_AHEAD_PIXELS = 2 ** 22;

export class ShownPicture {
  readonly #data: CardData<FileRef, Decoded>;

  /** Loads only while `isSeen`. `ahead`: files to prefetch. */
  constructor(
    session: Session,
    wanted: () => FileRef | null,
    isSeen: () => boolean,
    ahead: () => readonly FileRef[] = () => [],
  ) {
    const { client } = session;
    const load = async (file: FileRef, signal: AbortSignal): Promise<Decoded> => {
      try {
        return await pictures.load(addressOf(client, file), signal);
      } catch (cause) {
        // Browsers prefix their message with a name and a colon.
        throw cause instanceof ApiError || signal.aborted
          ? cause
          : new ApiError("undecodable", cause instanceof Error ? cause.message : String(cause));
      }
    };
    this.#data = new CardData(session, load, {
      wanted: () => {
        const file = wanted();
        return file && { key: addressOf(client, file), query: file };
      },
      isWanted: isSeen,
      isEarly: true,
    });
    // Outside: the cache keeps what is shown.
    $effect(() => {
      const { answer } = this.#data;
      return answer ? pictures.hold(answer.key) : undefined;
    });
    $effect(() => {
      const isSmall = this.picture !== null && this.picture.width * this.picture.height <= MAX_AHEAD_PIXELS;
      pictures.expect(this, isSmall && this.isCurrent ? ahead().map((file) => addressOf(client, file)) : []);
    });
    $effect(() => () => pictures.expect(this, []));
  }

  /** Shown now; may be the one before. */
  readonly picture = $derived.by((): Decoded | null => this.#data.value);
  readonly file = $derived.by((): FileRef | null => this.#data.answer?.query ?? null);
  readonly isCurrent = $derived.by(() => this.#data.isCurrent);
  readonly error = $derived.by((): ApiError | null => this.#data.failure);

  retry(): void {
    this.#data.retry();
  }
}
