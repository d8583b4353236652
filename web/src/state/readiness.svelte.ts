// Whether everything visible is drawn. Tests and benchmarks wait for it.

import { afterVisibleCards } from "../base/defer";

export class Readiness {
  /** Ids of the visible cards; null while the dashboard does not know them. */
  #expected: readonly string[] | null = null;
  readonly #settled = new Set<string>();

  /** The dashboard knows its cards: they exist and request their data. */
  isExpecting = $state(false);
  // Written, not derived: hundreds of settled cards cause one change.
  isReady = $state(false);

  expect(ids: readonly string[] | null): void {
    this.#expected = ids;
    this.isExpecting = ids !== null;
    this.#check();
  }

  /** A card is settled once it shows its content or an error. */
  settle(id: string, isSettled: boolean): void {
    if (isSettled === this.#settled.has(id)) return;
    if (isSettled) this.#settled.add(id);
    else this.#settled.delete(id);
    this.#check();
  }

  /** Settles a card while it exists. Call it where the card is created; a card keeps its id. */
  follow(id: string, isSettled: () => boolean): void {
    $effect(() => this.settle(id, isSettled()));
    $effect(() => () => this.settle(id, false));
  }

  /** Runs the job once, after the first visible cards. Returns the function that cancels it. */
  afterFirst(job: () => void): () => void {
    const end = $effect.root(() => {
      $effect(() =>
        afterVisibleCards(this.isReady, () => {
          end();
          job();
        }),
      );
    });
    return end;
  }

  #check(): void {
    this.isReady = this.#expected !== null && this.#expected.every((id) => this.#settled.has(id));
  }
}
