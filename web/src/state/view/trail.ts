// Which changes of the view become steps of the browser's back button: a burst of changes is one step. Knows no
// browser; App.svelte writes the address.

import type { View } from "./view";

const REST_MS = 1_000;

export class Trail {
  #view: View;
  #lastChangeMs = Number.NEGATIVE_INFINITY;
  #isStepDue = false;

  constructor(view: View) {
    this.#view = view;
  }

  /** The view may have changed, or only the way it is written: names of runs become known, say. */
  note(view: View, nowMs: number): void {
    if (view === this.#view) return;
    if (nowMs - this.#lastChangeMs > REST_MS) this.#isStepDue = true;
    this.#lastChangeMs = nowMs;
    this.#view = view;
  }

  /** How the address is to be written now. */
  take(): "push" | "replace" {
    const how = this.#isStepDue ? "push" : "replace";
    this.#isStepDue = false;
    return how;
  }

  /** The view came from the address: back, forward, or typed. What the user does next is a step of its own. */
  arrive(view: View): void {
    this.#view = view;
    this.#lastChangeMs = Number.NEGATIVE_INFINITY;
    this.#isStepDue = false;
  }
}
