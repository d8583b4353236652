// Which runs changed when, in the server's generations. Holds changes back while the page is quiet.

import type { Change } from "../api/types";

type RunChange = Pick<Change, "generation" | "runs">;

/** Changes that were held back, merged into one. */
interface Held {
  readonly generation: number;
  /** Null: any run may have changed. */
  readonly runs: ReadonlySet<string> | null;
  /** Another server has taken over in the meantime. */
  readonly isOtherServer: boolean;
}

export class Changes {
  /** The newest generation that the page knows. */
  generation = $state(0);
  /** Counts servers: generations of different servers cannot be compared. */
  epoch = $state(0);
  held = $state.raw<Held | null>(null);
  /** Anything may have changed up to this generation: at the start and after a lost connection. */
  #everything = 0;
  readonly #byRun = new Map<string, number>();

  add({ generation, runs }: RunChange): void {
    if (generation < this.generation) this.#forget();
    if (runs === null) this.#everything = generation;
    else for (const run of runs) this.#byRun.set(run, generation);
    this.generation = generation;
  }

  /** Holds the change back until `release`. */
  hold({ generation, runs }: RunChange): void {
    const before = this.held?.generation ?? this.generation;
    if (generation === before) return;
    const isOtherServer = this.held?.isOtherServer === true || generation < before;
    const isAny = runs === null || isOtherServer || this.held?.runs === null;
    this.held = { generation, runs: isAny ? null : new Set([...(this.held?.runs ?? []), ...runs]), isOtherServer };
  }

  release(): void {
    const { held } = this;
    if (!held) return;
    this.held = null;
    if (held.isOtherServer) this.#forget();
    this.add({ generation: held.generation, runs: held.runs && [...held.runs] });
  }

  /** Whether one of these runs changed after the given generation. */
  isNewer(than: number, runs: readonly string[]): boolean {
    if (this.generation <= than) return false;
    return this.#everything > than || runs.some((run) => (this.#byRun.get(run) ?? 0) > than);
  }

  #forget(): void {
    this.epoch++;
    this.generation = 0;
    this.#everything = 0;
    this.#byRun.clear();
  }
}
