// Heights of cards that are as high as their content. A card reports its own; the grid places the others below it.

import { nextTask } from "../base/defer";
import type { Session } from "../state/session.svelte";

const known = new WeakMap<Session, FittedHeights>();

export function fittedHeightsOf(session: Session): FittedHeights {
  let heights = known.get(session);
  if (!heights) known.set(session, (heights = new FittedHeights()));
  return heights;
}

export class FittedHeights {
  #heights = $state.raw<ReadonlyMap<string, number>>(new Map());
  #reported: Map<string, number> | null = null;
  readonly #tallest = new Map<string, number>();

  /** By card, in pixels. */
  get all(): ReadonlyMap<string, number> {
    return this.#heights;
  }

  /** The greatest height so far. It never shrinks, so what depends on it does not go back and forth with the width. */
  tallest(id: string): number | undefined {
    return this.#heights.has(id) ? this.#tallest.get(id) : undefined;
  }

  /** Cards that report together are placed together. */
  report(id: string, heightPx: number): void {
    if ((this.#reported ?? this.#heights).get(id) === heightPx) return;
    if (!this.#reported) {
      this.#reported = new Map(this.#heights);
      void nextTask().then(() => {
        this.#heights = this.#reported ?? this.#heights;
        this.#reported = null;
      });
    }
    this.#reported.set(id, heightPx);
    this.#tallest.set(id, Math.max(this.#tallest.get(id) ?? 0, heightPx));
  }
}
