// A double click on a chart resets its zoom. Its two clicks have picked points by then, which are taken back. Pure.

export class Picks {
  #takeBack: readonly (() => void)[] = [];

  /** A click picked a point; gets what takes that back. */
  add(takeBack: () => void): void {
    this.#takeBack = [...this.#takeBack.slice(-1), takeBack];
  }

  /** A click did something else. */
  clear(): void {
    this.#takeBack = [];
  }

  /** The last two clicks were a double click. */
  takeBack(): void {
    for (const takeBack of this.#takeBack.toReversed()) takeBack();
    this.clear();
  }
}
