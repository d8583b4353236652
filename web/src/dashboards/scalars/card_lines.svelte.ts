// The data of one card: asks for it, keeps the last answer until a better one is there, and asks again when runs grow.

import { ApiError, type Client } from "../../api/client";
import type { Columns } from "../../api/columns";
import type { LinesQuery } from "../../api/types";
import { type Series, toSeries } from "../../chart/model";
import { Pacer } from "../../state/pacer";

const LIVE_PACE = { restFactor: 3, minRestMs: 150, maxRestMs: 5_000 };

export interface CardLine {
  readonly run: string;
  readonly isRaw: boolean;
  readonly generation: number;
  readonly total: number;
  readonly series: Series;
}

export interface CardAnswer {
  readonly key: string;
  readonly query: LinesQuery;
  /** The server's generation when it was asked for. */
  readonly generation: number;
  readonly lines: readonly CardLine[];
  readonly sizeBytes: number;
}

/** Answers of cards that were scrolled away, so that coming back is instant. The oldest go first. */
export class AnswerCache {
  readonly #answers = new Map<string, CardAnswer>();
  #sizeBytes = 0;

  constructor(private readonly budgetBytes = 96e6) {}

  get(key: string): CardAnswer | undefined {
    return this.#answers.get(key);
  }

  put(answer: CardAnswer): void {
    this.#drop(answer.key);
    this.#answers.set(answer.key, answer);
    this.#sizeBytes += answer.sizeBytes;
    for (const key of this.#answers.keys()) {
      if (this.#sizeBytes <= this.budgetBytes || key === answer.key) break;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#sizeBytes -= this.#answers.get(key)?.sizeBytes ?? 0;
    this.#answers.delete(key);
  }
}

interface Wanted {
  key: string;
  query: LinesQuery;
}

export class CardLines {
  /** Raw: replaced whole, never edited. */
  answer = $state.raw<CardAnswer | null>(null);
  error = $state.raw<{ key: string; cause: ApiError } | null>(null);

  #wanted: Wanted | null = null;
  #isAsking = false;
  #isEnded = false;
  readonly #abort = new AbortController();
  readonly #refresh = new Pacer(() => this.#askAgain(), LIVE_PACE);

  constructor(
    private readonly client: Client,
    private readonly cache: AnswerCache,
  ) {}

  /** Show the answer to this query as soon as it is there. The key says whether two queries are the same. */
  want(key: string, query: LinesQuery): void {
    if (this.#wanted?.key === key) return;
    this.#wanted = { key, query };
    const kept = this.cache.get(key);
    if (kept) this.answer = kept;
    else void this.#askUntilCurrent();
  }

  /** The runs of this card have changed. */
  refresh(): void {
    if (this.#wanted) this.#refresh.request();
  }

  retry(): void {
    this.error = null;
    void this.#askUntilCurrent();
  }

  end(): void {
    this.#isEnded = true;
    this.#refresh.end();
    this.#abort.abort();
  }

  /** One question at a time: while a slider moves, each answer is shown and then the newest query is asked. */
  async #askUntilCurrent(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (!this.#isEnded && this.#wanted && this.answer?.key !== this.#wanted.key && this.error?.key !== this.#wanted.key) {
        await this.#ask(this.#wanted);
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

  async #ask({ key, query }: Wanted): Promise<void> {
    try {
      const columns = await this.client.lines(query, this.#abort.signal);
      if (this.#isEnded) return;
      this.answer = toAnswer(key, query, columns);
      this.cache.put(this.answer);
      this.error = null;
    } catch (cause) {
      if (this.#isEnded) return;
      const error = cause instanceof ApiError ? cause : new ApiError("internal", String(cause));
      // The answer is still the right one, only not the newest; the next change asks again.
      if (error.code === "unreachable" && this.answer?.key === key) return;
      this.error = { key, cause: error };
    }
  }
}

function toAnswer(key: string, query: LinesQuery, columns: Columns): CardAnswer {
  const lines = columns.lines.map((line) => ({
    run: line.run,
    isRaw: line.role === "raw",
    generation: line.generation,
    total: line.total,
    series: toSeries(line.table, line.y, line.mask),
  }));
  // Raw lines first: they are drawn behind.
  lines.sort((a, b) => Number(b.isRaw) - Number(a.isRaw));
  // Every line is a view of the one answer.
  const sizeBytes = columns.lines[0]?.y.buffer.byteLength ?? 0;
  return { key, query, generation: columns.generation, lines, sizeBytes };
}
