// The newest answer to a query that changes quickly: one request at a time, then the newest query. Keeps the last
// answer until a better one arrives. Knows nothing of the query itself.

import { ApiError } from "./http";
import { Pacer } from "../base/pacer";

const LIVE_PACE = { restFactor: 3, minRestMs: 150, maxRestMs: 5_000 };

export interface Answered<Query, Value> {
  readonly key: string;
  readonly query: Query;
  readonly value: Value;
}

export class LatestAnswer<Query, Value> {
  /** Raw: replaced as a whole, never edited. A caller that has an answer without a request may set it. */
  answer = $state.raw<Answered<Query, Value> | null>(null);
  error = $state.raw<{ readonly key: string; readonly cause: ApiError } | null>(null);

  #wanted: { readonly key: string; readonly query: Query } | null = null;
  #isAsking = false;
  #isEnded = false;
  #abort = new AbortController();
  readonly #refresh = new Pacer(() => this.#askAgain(), LIVE_PACE);

  /** `onerror` is called for every failure that is shown. */
  constructor(
    private readonly ask: (query: Query, signal: AbortSignal) => Promise<Value>,
    private readonly onerror: (cause: ApiError) => void = () => {},
  ) {}

  /** The key of the last wanted query. */
  get wantedKey(): string | null {
    return this.#wanted?.key ?? null;
  }

  /** Queries with equal keys are the same. */
  want(key: string, query: Query): void {
    if (this.#wanted?.key === key) return;
    this.#wanted = { key, query };
    void this.#askUntilCurrent();
  }

  /** The data behind the query has changed. */
  refresh(): void {
    if (this.#wanted) this.#refresh.request();
  }

  retry(): void {
    this.error = null;
    void this.#askUntilCurrent();
  }

  /** Nothing shows the answer any more: cancels the request that is still running. */
  rest(): void {
    if (!this.#wanted) return;
    this.#wanted = null;
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  /** Like `rest`, and drops the last answer. */
  forget(): void {
    this.rest();
    this.answer = null;
    this.error = null;
  }

  end(): void {
    this.#isEnded = true;
    this.#refresh.end();
    this.rest();
  }

  async #askUntilCurrent(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (
        !this.#isEnded &&
        this.#wanted &&
        this.answer?.key !== this.#wanted.key &&
        this.error?.key !== this.#wanted.key
      ) {
        await this.#askOnce(this.#wanted);
      }
    } finally {
      this.#isAsking = false;
    }
  }

  async #askAgain(): Promise<void> {
    if (this.#isAsking || !this.#wanted) return;
    this.#isAsking = true;
    try {
      await this.#askOnce(this.#wanted);
    } finally {
      this.#isAsking = false;
    }
    await this.#askUntilCurrent();
  }

  async #askOnce({ key, query }: { readonly key: string; readonly query: Query }): Promise<void> {
    const { signal } = this.#abort;
    try {
      const value = await this.ask(query, signal);
      if (signal.aborted) return;
      this.answer = { key, query, value };
      this.error = null;
    } catch (cause) {
      if (signal.aborted) return;
      const error = cause instanceof ApiError ? cause : new ApiError("internal", String(cause));
      // The answer still matches the query, it is only not the newest; the next change requests it again.
      if (error.code === "unreachable" && this.answer?.key === key) return;
      this.error = { key, cause: error };
      this.onerror(error);
    }
  }
}
