// Which runs changed when, in the server's own generations.

import type { Change } from "../api/types";

export class Changes {
  /** The newest generation heard of. */
  generation = $state(0);
  /** Counts servers: generations of one mean nothing to the next. */
  epoch = $state(0);
  /** Up to when anything may have changed: the state at the start and after a lost connection. */
  #everything = 0;
  readonly #byRun = new Map<string, number>();

  add({ generation, runs }: Pick<Change, "generation" | "runs">): void {
    if (generation < this.generation) {
      this.epoch++;
      this.#byRun.clear();
      this.#everything = 0;
    }
    if (runs === null) this.#everything = generation;
    else for (const run of runs) this.#byRun.set(run, generation);
    this.generation = generation;
  }

  /** Whether one of these runs changed after the given generation. */
  isNewer(than: number, runs: readonly string[]): boolean {
    if (this.generation <= than) return false;
    return this.#everything > than || runs.some((run) => (this.#byRun.get(run) ?? 0) > than);
  }
}
