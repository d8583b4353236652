// Which runs are being written now, as far as the page knows.

import type { Run } from "../../api/types";

/** A writer that was silent for longer may have ended. */
const ALIVE_MS = 60_000;

export class Writers {
  #changedMs = $state.raw<ReadonlyMap<string, number>>(new Map());

  note(runs: readonly string[], nowMs: number): void {
    const kept = [...this.#changedMs].filter(([, atMs]) => nowMs - atMs < ALIVE_MS);
    this.#changedMs = new Map([...kept, ...runs.map((run): [string, number] => [run, nowMs])]);
  }

  /**
   * Runs that changed within the last minute, or whose newest event is that recent: many changes at once come without
   * names.
   */
  alive(runs: readonly Run[], nowMs: number): string[] {
    // A clock that is ahead of ours by more says nothing about now.
    const isRecent = (atMs: number): boolean => Math.abs(nowMs - atMs) < ALIVE_MS;
    return runs
      .map((run) => run.name)
      .filter(
        (name, i) => isRecent(this.#changedMs.get(name) ?? 0) || isRecent(Number(runs[i]?.last_wall_time) * 1000),
      );
  }
}
