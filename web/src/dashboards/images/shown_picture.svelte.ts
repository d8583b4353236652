// The picture of a file that changes quickly: the last one stays until the next is decoded, and those beside it are
// fetched while there is time. Made in a component; ends with it.

import { ApiError } from "../../api/http";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import type { Decoded } from "./decode/decode";
import { addressOf, type FileRef } from "./ask";
import { pictures } from "./pictures";

// Larger ones would drive everything else out of the store.
const MAX_AHEAD_PIXELS = 2 ** 22;

export class ShownPicture {
  readonly #data: CardData<FileRef, Decoded>;

  /** `isSeen`: only what somebody looks at is asked for. `ahead`: files that may be next. */
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
        // A browser's words for a picture that it cannot decode are a name and a colon too many.
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
    // Outside: what is shown stays in the store.
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

  /** What is to be seen now, if only for the moment. */
  readonly picture = $derived.by((): Decoded | null => this.#data.value);
  readonly file = $derived.by((): FileRef | null => this.#data.answer?.query ?? null);
  /** It is the one that is wanted. */
  readonly isCurrent = $derived.by(() => this.#data.isCurrent);
  /** Why the one that is wanted did not come. */
  readonly error = $derived.by((): ApiError | null => this.#data.failure);

  retry(): void {
    this.#data.retry();
  }
}
