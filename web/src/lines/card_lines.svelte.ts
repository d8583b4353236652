// The lines of one card: from the cache or the current answer where possible, otherwise from the server, with growing
// pauses between retries after a failure.

import type { ApiError } from "../api/http";
import { type AnswerCache, narrow, serve, toAnswer } from "./card_answers";
import type { CardAnswer, Question } from "./card_model";
import { type Answered, LatestAnswer } from "../api/latest_answer.svelte";
import type { Source } from "../cards/card_data.svelte";
import type { LineRequests } from "./line_requests";
import { smoothHere } from "./smooth_here";

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** What all cards of a page share. */
export interface Supply {
  readonly requests: LineRequests;
  readonly cache: AnswerCache;
}

export class CardLines implements Source<Question, CardAnswer> {
  readonly #latest: LatestAnswer<Question, CardAnswer>;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** `place`: how far the card is from the top of the page. */
  constructor(
    private readonly supply: Supply,
    private readonly place: () => number,
  ) {
    this.#latest = new LatestAnswer(
      (question, signal) => this.#ask(question, signal),
      (cause) => this.#retryLater(cause),
    );
  }

  get answer(): Answered<Question, CardAnswer> | null {
    return this.#latest.answer;
  }

  get error(): { readonly key: string; readonly cause: ApiError } | null {
    return this.#latest.error;
  }

  /** Shows the answer to this question as soon as possible. */
  want(key: string, question: Question): void {
    const latest = this.#latest;
    if (latest.wantedKey === key) return;
    const last = latest.answer?.value;
    const kept = this.supply.cache.get(key) ?? (last && (serve(last, question) ?? smoothHere(last, question)));
    if (kept) {
      latest.answer = { key, query: question, value: kept };
      latest.error = null;
    } else if (latest.answer) {
      const value = narrow(latest.answer.value, question);
      if (value) latest.answer = { ...latest.answer, value };
    }
    latest.want(key, question);
  }

  /** The card is not visible: cancels what is still loading. */
  rest(): void {
    clearTimeout(this.#retry);
    this.#latest.rest();
  }

  /** The runs of this card have changed. */
  refresh(): void {
    this.#latest.refresh();
  }

  retry(): void {
    clearTimeout(this.#retry);
    this.#latest.retry();
  }

  end(): void {
    clearTimeout(this.#retry);
    this.#latest.end();
  }

  async #ask(question: Question, signal: AbortSignal): Promise<CardAnswer> {
    const answer = toAnswer(question, await this.supply.requests.send(question, this.place, signal));
    if (!signal.aborted) {
      this.supply.cache.put(answer);
      this.#failures = 0;
    }
    return answer;
  }

  #retryLater(cause: ApiError): void {
    // The server rejects an invalid question every time.
    const isLasting = cause.httpStatus >= 400 && cause.httpStatus < 500;
    if (isLasting || cause.code === "unreachable") return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.retry(), Math.min(RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS));
  }
}
