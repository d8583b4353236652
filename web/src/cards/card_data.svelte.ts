// The data of one card: asked for while the card is in sight, again when its runs have grown and after a lost
// connection. Knows neither what is asked nor what is drawn. Made in a component; ends with it.

import { untrack } from "svelte";
import type { ApiError } from "../api/http";
import { type Answered, LatestAnswer } from "../api/latest_answer.svelte";
import type { Session } from "../state/session.svelte";

/** Asks, and keeps the newest answer: a LatestAnswer, or one that first looks at what is here already. */
export interface Source<Query, Value> {
  readonly answer: Answered<Query, Value> | null;
  readonly error: { readonly key: string; readonly cause: ApiError } | null;
  want(key: string, query: Query): void;
  refresh(): void;
  retry(): void;
  rest(): void;
  end(): void;
}

export interface CardDataOptions<Query, Value> {
  /** What the card is to show; null: it is not known yet. The key says whether two questions are the same. */
  readonly wanted: () => { readonly key: string; readonly query: Query } | null;
  /** Whether the card is in sight: only what somebody looks at is asked for. */
  readonly isWanted: () => boolean;
  /** How new an answer is and which runs it is about; missing or null: it does not grow old. */
  readonly about?: (
    value: Value,
    query: Query,
  ) => { readonly generation: number; readonly runs: readonly string[] } | null;
  /** Asks before anything is drawn, not after. */
  readonly isEarly?: boolean;
  /** What is under way when the card leaves is still taken; otherwise it is let go of. */
  readonly isFinished?: boolean;
}

/** It was out of reach, or a proxy in front of it said so. */
const isOfServer = (cause: ApiError | undefined): boolean =>
  cause !== undefined && (cause.code === "unreachable" || cause.httpStatus >= 500);

export class CardData<Query, Value> {
  constructor(
    session: Pick<Session, "changes" | "connection" | "isQuiet">,
    ask: ((query: Query, signal: AbortSignal) => Promise<Value>) | Source<Query, Value>,
    private readonly options: CardDataOptions<Query, Value>,
  ) {
    const { isWanted, about } = options;
    const source = typeof ask === "function" ? new LatestAnswer(ask) : ask;
    this.#source = source;
    // Outside: the server.
    const want = (): void => {
      const wanted = isWanted() ? this.#wanted : null;
      untrack(() => {
        if (wanted) source.want(wanted.key, wanted.query);
        else if (!options.isFinished) source.rest();
      });
    };
    if (options.isEarly) $effect.pre(want);
    else $effect(want);
    $effect(() => {
      const { answer } = this;
      if (!about || !answer || !isWanted() || !this.isCurrent || session.isQuiet) return;
      const known = about(answer.value, answer.query);
      if (known && session.changes.isNewer(known.generation, known.runs)) untrack(() => source.refresh());
    });
    $effect(() => {
      if (session.connection === "open") untrack(() => isOfServer(source.error?.cause) && source.retry());
    });
    $effect(() => () => source.end());
  }

  readonly #source: Source<Query, Value>;
  readonly #wanted = $derived.by(() => this.options.wanted());
  /** Of what is wanted now; null: nothing is. */
  readonly key = $derived.by((): string | null => this.#wanted?.key ?? null);
  /** The last one, until a better one is there. */
  readonly answer = $derived.by((): Answered<Query, Value> | null => this.#source.answer);
  readonly value = $derived.by((): Value | null => this.answer?.value ?? null);
  /** It is the answer to what is wanted now. */
  readonly isCurrent = $derived.by(() => this.key !== null && this.answer?.key === this.key);
  /** Why what is wanted now did not come. */
  readonly failure = $derived.by((): ApiError | null =>
    this.key !== null && this.#source.error?.key === this.key ? this.#source.error.cause : null,
  );
  /**
   * The same, unless there is something better to show: while the server is out of reach, which the header says, the
   * last answer is better than none.
   */
  readonly error = $derived.by((): ApiError | null =>
    this.failure?.code === "unreachable" && this.answer ? null : this.failure,
  );

  retry(): void {
    this.#source.retry();
  }
}
