// Which changes of the view become entries of the browser's history: a burst of changes is one entry. Knows no browser;
// frame/address.svelte.ts writes the address.

import type { View } from "./view";

const REST_MS = 1_000;

export class ViewHistory {
  #view: View;
  #lastChangeMs = Number.NEGATIVE_INFINITY;
  #isEntryDue = false;

  constructor(view: View) {
    this.#view = view;
  }

  /** The view may have changed, or only its text in the address: the names of runs become known, say. */
  note(view: View, nowMs: number): void {
    if (view === this.#view) return;
    if (nowMs - this.#lastChangeMs > REST_MS) this.#isEntryDue = true;
    this.#lastChangeMs = nowMs;
    this.#view = view;
  }

  /** How to write the address now. */
  take(): "push" | "replace" {
    const how = this.#isEntryDue ? "push" : "replace";
    this.#isEntryDue = false;
    return how;
  }

  /** The view came from the address: back, forward, or typed. What the user does next is an entry of its own. */
  arrive(view: View): void {
    this.#view = view;
    this.#lastChangeMs = Number.NEGATIVE_INFINITY;
    this.#isEntryDue = false;
  }
}
