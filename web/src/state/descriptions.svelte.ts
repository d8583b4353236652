// What was logged about tags beside their values. Requested after the first cards, and again with the lists.

import type { Described, Descriptions } from "../api/types";

export class DescriptionsState {
  #byKey = $state.raw<ReadonlyMap<string, Described["texts"]>>(new Map());
  #isAsking = false;
  #seriesCount = -1;

  constructor(private readonly ask: () => Promise<Descriptions>) {}

  /** Distinct display names and descriptions of a tag; none for most tags. */
  read(kind: string, tag: string): Described["texts"] {
    return this.#byKey.get(keyOf(kind, tag)) ?? [];
  }

  /** Descriptions come with a series and do not change: none are new while there are as many series as before. */
  async refresh(seriesCount: number): Promise<void> {
    if (this.#isAsking || seriesCount === this.#seriesCount) return;
    this.#isAsking = true;
    try {
      const { tags } = await this.ask();
      this.#seriesCount = seriesCount;
      if (tags.length > 0 || this.#byKey.size > 0)
        this.#byKey = new Map(tags.map(({ kind, tag, texts }) => [keyOf(kind, tag), texts]));
    } catch {
      // The session reports a lost server; the next lists request them again.
    } finally {
      this.#isAsking = false;
    }
  }
}

const keyOf = (kind: string, tag: string): string => `${kind}\n${tag}`;
