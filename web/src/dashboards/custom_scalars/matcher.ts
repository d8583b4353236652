// The page's end of matching: one pattern after the other, none for longer than a moment.

import type { Match } from "./tag_match";

const PATIENCE_MS = 1_000;

type Started = Pick<Worker, "postMessage" | "terminate" | "addEventListener">;

const startWorker = (): Started => new Worker(new URL("./tag_match.worker.ts", import.meta.url), { type: "module" });

export class Matcher {
  #worker: Started | null = null;
  #answer: ((match: Match) => void) | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly start: () => Started = startWorker,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** One for each pattern. */
  match(patterns: readonly string[], tags: readonly string[]): Promise<ReadonlyMap<string, Match>> {
    const answer = this.#last.then(() => this.#matchAll(patterns, tags));
    this.#last = answer;
    return answer;
  }

  end(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  async #matchAll(patterns: readonly string[], tags: readonly string[]): Promise<ReadonlyMap<string, Match>> {
    const found = new Map<string, Match>();
    this.#worker?.postMessage({ tags });
    for (const pattern of new Set(patterns)) found.set(pattern, await this.#matchOne(pattern, tags));
    return found;
  }

  #matchOne(pattern: string, tags: readonly string[]): Promise<Match> {
    return new Promise((done) => {
      // A worker takes a while to begin; that is not the pattern's fault.
      const patienceMs = this.#worker ? this.patienceMs : 10 * this.patienceMs;
      const worker = (this.#worker ??= this.#begin(tags));
      const timer = setTimeout(() => {
        this.end();
        done({ tags: [], error: `“${pattern}” takes too long to match; it is not used.` });
      }, patienceMs);
      this.#answer = (match) => {
        clearTimeout(timer);
        done(match);
      };
      worker.postMessage({ pattern });
    });
  }

  #begin(tags: readonly string[]): Started {
    const worker = this.start();
    worker.addEventListener("message", (event) => this.#worker === worker && this.#answer?.((event as MessageEvent<Match>).data));
    worker.postMessage({ tags });
    return worker;
  }
}
