// Heights of cards that are as high as their content, and of what others have below it. A card reports its own; the
// grid places the others below it.

import { untrack } from "svelte";
import { nextTask } from "../base/defer";
import type { Session } from "../state/session.svelte";

const known = new WeakMap<Session, FittedHeights>();

export function fittedHeightsOf(session: Session): FittedHeights {
  let heights = known.get(session);
  if (!heights) known.set(session, (heights = new FittedHeights()));
  return heights;
}

class Heights {
  #all = $state.raw<ReadonlyMap<string, number>>(new Map());
  #reported: Map<string, number> | null = null;

  /** By card, in pixels. */
  get all(): ReadonlyMap<string, number> {
    return this.#all;
  }

  /** Cards that report together are placed together. */
  report(id: string, heightPx: number): void {
    const known = this.#reported ?? untrack(() => this.#all);
    if ((known.get(id) ?? 0) === heightPx) return;
    if (!this.#reported) {
      this.#reported = new Map(known);
      void nextTask().then(() => {
        this.#all = this.#reported ?? this.#all;
        this.#reported = null;
      });
    }
    this.#reported.set(id, heightPx);
  }
}

export class FittedHeights {
  readonly #content = new Heights();
  readonly #below = new Heights();
  readonly #tallest = new Map<string, number>();

  /** Of cards that are as high as their content. */
  get all(): ReadonlyMap<string, number> {
    return this.#content.all;
  }

  /** Of what a card has below what it usually shows. */
  get below(): ReadonlyMap<string, number> {
    return this.#below.all;
  }

  /** The greatest height so far. It never shrinks, so what depends on it does not go back and forth with the width. */
  tallest(id: string): number | undefined {
    return this.all.has(id) ? this.#tallest.get(id) : undefined;
  }

  report(id: string, heightPx: number): void {
    this.#content.report(id, heightPx);
    this.#tallest.set(id, Math.max(this.#tallest.get(id) ?? 0, heightPx));
  }

  reportBelow(id: string, heightPx: number): void {
    this.#below.report(id, heightPx);
  }
}
