// The data of one card: asks for it, keeps the last answer until a better one is there, asks again when runs grow and, with
// growing rests, after a failure.

import { ApiError } from "../../api/client";
import { Pacer } from "../../state/pacer";
import { type AnswerCache, narrow, serve, toAnswer } from "./card_answers";
import type { CardAnswer, Question } from "./card_model";
import type { LineDesk } from "./line_desk";
import { smoothHere } from "./smooth_here";

const LIVE_PACE = { restFactor: 3, minRestMs: 150, maxRestMs: 5_000 };
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** What all cards of a page share. */
export interface Supply {
  readonly desk: LineDesk;
  readonly cache: AnswerCache;
}

export class CardLines {
  /** Raw: replaced whole, never edited. */
  answer = $state.raw<CardAnswer | null>(null);
  error = $state.raw<{ key: string; cause: ApiError } | null>(null);

  #wanted: Question | null = null;
  #isAsking = false;
  #isEnded = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #abort = new AbortController();
  readonly #refresh = new Pacer(() => this.#askAgain(), LIVE_PACE);

  /** `place` is how far from the top of the page the card is. */
  constructor(
    private readonly supply: Supply,
    private readonly place: () => number,
  ) {}

  /** Show the answer to this question as soon as it is there. */
  want(question: Question): void {
    if (this.#wanted?.key === question.key) return;
    this.#wanted = question;
    const kept = this.supply.cache.get(question.key) ?? (this.answer && (serve(this.answer, question) ?? smoothHere(this.answer, question)));
    if (kept) {
      this.answer = kept;
      this.error = null;
      return;
    }
    this.answer = (this.answer && narrow(this.answer, question)) ?? this.answer;
    void this.#askUntilCurrent();
  }

  /** Nobody looks: what is not here yet is not needed. */
  rest(): void {
    this.#wanted = null;
    clearTimeout(this.#retry);
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  /** The runs of this card have changed. */
  refresh(): void {
    if (this.#wanted) this.#refresh.request();
  }

  retry(): void {
    clearTimeout(this.#retry);
    this.error = null;
    void this.#askUntilCurrent();
  }

  end(): void {
    this.#isEnded = true;
    this.#refresh.end();
    this.rest();
  }

  /** One question at a time: while a slider moves, each answer is shown and then the newest question is asked. */
  async #askUntilCurrent(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      for (;;) {
        const next = this.#wanted;
        if (this.#isEnded || !next || this.answer?.question.key === next.key || this.error?.key === next.key) return;
        await this.#ask(next);
      }
    } finally {
      this.#isAsking = false;
    }
  }

  async #askAgain(): Promise<void> {
    if (this.#isAsking || !this.#wanted) return;
    this.#isAsking = true;
    try {
      await this.#ask(this.#wanted);
    } finally {
      this.#isAsking = false;
    }
    await this.#askUntilCurrent();
  }

  async #ask(question: Question): Promise<void> {
    const { desk, cache } = this.supply;
    const { signal } = this.#abort;
    try {
      const columns = await desk.ask(question, this.place, signal);
      if (signal.aborted) return;
      this.answer = toAnswer(question, columns);
      cache.put(this.answer);
      this.error = null;
      this.#failures = 0;
    } catch (cause) {
      if (signal.aborted) return;
      this.#fail(question, cause instanceof ApiError ? cause : new ApiError("internal", String(cause)));
    }
  }

  #fail({ key }: Question, cause: ApiError): void {
    // The answer is still the right one, only not the newest; the next change asks again.
    if (cause.code === "unreachable" && this.answer?.question.key === key) return;
    this.error = { key, cause };
    // A question that the server does not understand will not be understood later either.
    const isLasting = cause.httpStatus >= 400 && cause.httpStatus < 500;
    if (isLasting || cause.code === "unreachable") return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.retry(), Math.min(RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS));
  }
}
