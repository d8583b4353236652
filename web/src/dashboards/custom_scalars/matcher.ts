// The page's side of pattern matching: one pattern at a time, each with a time limit.

import type { Match } from "./tag_match";

const PATIENCE_MS = 1_000;
// Allow extra time for the worker to start.
const BEGIN_FACTOR = 10;

type Started = Pick<Worker, "postMessage" | "terminate" | "addEventListener">;

const startWorker = (): Started => new Worker(new URL("./tag_match.worker.ts", import.meta.url), { type: "module" });

export class Matcher {
  #worker: Started | null = null;
  #hear: ((said: Match | "ready") => void) | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly start: () => Started = startWorker,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Returns one match for each pattern. */
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
      const giveUp = (): void => {
        this.end();
        done({ tags: [], error: `“${pattern}” takes too long to match; it is not used.` });
      };
      let timer = setTimeout(giveUp, this.#worker ? this.patienceMs : BEGIN_FACTOR * this.patienceMs);
      this.#hear = (said) => {
        clearTimeout(timer);
        if (said === "ready") timer = setTimeout(giveUp, this.patienceMs);
        else done(said);
      };
      const worker = (this.#worker ??= this.#begin(tags));
      worker.postMessage({ pattern });
    });
  }

  #begin(tags: readonly string[]): Started {
    const worker = this.start();
    worker.addEventListener(
      "message",
      (event) => this.#worker === worker && this.#hear?.((event as MessageEvent<Match | "ready">).data),
    );
    worker.postMessage({ tags });
    return worker;
  }
}
