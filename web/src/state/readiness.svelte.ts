// Whether everything that can be seen is drawn. Tests and benchmarks wait on it.

export class Readiness {
  /** Ids of the cards on screen; null while the dashboard does not know yet. */
  #expected: readonly string[] | null = null;
  readonly #settled = new Set<string>();

  /** The dashboard has said what it will show: its cards have been made, and ask for their data. */
  isExpecting = $state(false);
  // Written, not derived: hundreds of settlings make one change, and only that is told.
  isReady = $state(false);

  expect(ids: readonly string[] | null): void {
    this.#expected = ids;
    this.isExpecting = ids !== null;
    this.#check();
  }

  /** A card is settled once it shows what it should, be it a drawing or an error. */
  settle(id: string, isSettled: boolean): void {
    if (isSettled === this.#settled.has(id)) return;
    if (isSettled) this.#settled.add(id);
    else this.#settled.delete(id);
    this.#check();
  }

  /** Settles a card as it says, and no longer than it is there. Called where the card is made; a card keeps its id. */
  follow(id: string, isSettled: () => boolean): void {
    $effect(() => this.settle(id, isSettled()));
    $effect(() => () => this.settle(id, false));
  }

  #check(): void {
    this.isReady = this.#expected !== null && this.#expected.every((id) => this.#settled.has(id));
  }
}
