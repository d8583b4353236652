// Which changes of the view become entries of the browser's history: a burst of changes is one entry, and one that ends
// where it began is none. Knows no browser; frame/address.svelte.ts writes the address.

import type { View } from "./view";

const REST_MS = 1_000;

export class ViewHistory {
  #view: View;
  #lastChangeMs = Number.NEGATIVE_INFINITY;
  #isEntryDue = false;
  /** The address that was written last, and that of the entry before it; null: unknown. */
  #address: string | null = null;
  #addressBefore: string | null = null;

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

  /** How to write the address now. "back": the entry before already has it. */
  take(address: string): "push" | "replace" | "back" | "none" {
    const isDue = this.#isEntryDue;
    this.#isEntryDue = false;
    if (address === this.#address) return "none";
    if (isDue) {
      this.#addressBefore = this.#address;
      this.#address = address;
      return "push";
    }
    const isBack = address === this.#addressBefore;
    this.#address = address;
    if (!isBack) return "replace";
    this.#addressBefore = null;
    // What the user does next must not replace the entry before.
    this.#lastChangeMs = Number.NEGATIVE_INFINITY;
    return "back";
  }

  /** The view came from the address: back, forward, or typed. What the user does next is an entry of its own. */
  arrive(view: View): void {
    this.#view = view;
    this.#lastChangeMs = Number.NEGATIVE_INFINITY;
    this.#isEntryDue = false;
    this.#address = this.#addressBefore = null;
  }
}
