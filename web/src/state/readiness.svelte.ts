// Whether everything that can be seen is drawn. Tests and benchmarks wait on it.

import { SvelteSet } from "svelte/reactivity";

export class Readiness {
  /** Ids of the cards on screen; null while the dashboard does not know yet. */
  #expected = $state.raw<readonly string[] | null>(null);
  readonly #settled = new SvelteSet<string>();

  /** The dashboard has said what it will show: its cards have been made, and ask for their data. */
  readonly isExpecting = $derived(this.#expected !== null);
  readonly isReady = $derived(this.#expected !== null && this.#expected.every((id) => this.#settled.has(id)));

  expect(ids: readonly string[] | null): void {
    this.#expected = ids;
  }

  /** A card is settled once it shows what it should, be it a drawing or an error. */
  settle(id: string, isSettled: boolean): void {
    if (isSettled) this.#settled.add(id);
    else this.#settled.delete(id);
  }
}
