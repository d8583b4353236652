// Loads the data of one card while it is visible, and again when its runs grow or the connection returns. Knows neither
// the request nor the drawing. Created in a component and ends with it.

import { untrack } from "svelte";
import type { ApiError } from "../api/http";
import { type Answered, LatestAnswer } from "../api/latest_answer.svelte";
import type { Session } from "../state/session.svelte";

/** Requests data and keeps the latest answer: a LatestAnswer, or one with a cache. */
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
  /** What to load; null: not known yet. Equal keys mean equal queries. */
  readonly wanted: () => { readonly key: string; readonly query: Query } | null;
  /** The card is visible. */
  readonly isWanted: () => boolean;
  /** Age and runs of an answer; missing or null: it never gets stale. */
  readonly about?: (
    value: Value,
    query: Query,
  ) => { readonly generation: number; readonly runs: readonly string[] } | null;
  /** Sends the request before the first paint. */
  readonly isEarly?: boolean;
  /** Completes a running request when the card leaves the view, instead of aborting it. */
  readonly isFinished?: boolean;
}

/** The server or a proxy is down. */
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
  /** Of the current query; null: none. */
  readonly key = $derived.by((): string | null => this.#wanted?.key ?? null);
  /** The latest, maybe of an earlier query. */
  readonly answer = $derived.by((): Answered<Query, Value> | null => this.#source.answer);
  readonly value = $derived.by((): Value | null => this.answer?.value ?? null);
  /** `answer` is of the current query. */
  readonly isCurrent = $derived.by(() => this.key !== null && this.answer?.key === this.key);
  /** Why the current query failed. */
  readonly failure = $derived.by((): ApiError | null =>
    this.key !== null && this.#source.error?.key === this.key ? this.#source.error.cause : null,
  );
  /** Like `failure`, but null while the server is unreachable and an older answer can be shown. */
  readonly error = $derived.by((): ApiError | null =>
    this.failure?.code === "unreachable" && this.answer ? null : this.failure,
  );

  retry(): void {
    this.#source.retry();
  }
}
