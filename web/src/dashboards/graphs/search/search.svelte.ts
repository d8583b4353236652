// Finds nodes: all matches are counted and lit, and gone through one after the other. Created in a component and ends
// with it.

import { untrack } from "svelte";
import { CardData } from "../../../cards/card_data.svelte";
import type { SearchAnswer } from "../answer";
import { searchNodes, type SearchQuery } from "../ask";
import type { GraphsPage } from "../graphs_page.svelte";
import { searchText, setSearch } from "../options";

const LISTED = 200;
const NO_MATCHES: ReadonlyMap<string, number> = new Map();

export class Search {
  /** The match that the user is at, of those that are listed. Several may be one node: blocks that are folded. */
  #at = $state(-1);
  readonly #data: CardData<SearchQuery, SearchAnswer>;

  constructor(private readonly page: GraphsPage) {
    const { session, main } = page;
    this.#data = new CardData(session, (query, signal) => searchNodes(session.client, query, signal), {
      wanted: () => {
        const { graph } = main;
        const q = this.text.trim();
        if (!graph || q === "" || main.key === "") return null;
        return { key: `${main.key} ${q}`, query: { graph, q, limit: LISTED, view: main.structure } };
      },
      isWanted: () => true,
    });
    // Outside: the canvas.
    $effect(() => {
      const { lit } = this;
      const current = this.answer?.matches[this.index];
      untrack(() => {
        main.view.matches = lit;
        main.view.currentMatch = current ? (current.port_of ?? current.id) : null;
      });
    });
  }

  readonly text = $derived.by(() => searchText(this.page.settings));
  readonly answer = $derived.by((): SearchAnswer | null => (this.text.trim() === "" ? null : this.#data.value));
  /** The answer is to what is typed. */
  readonly isCurrent = $derived.by(() => this.#data.isCurrent);
  readonly problem = $derived.by((): string => this.answer?.problem ?? this.#data.failure?.message ?? "");
  /** Of the current match among those that are listed; -1: the user is at none. */
  readonly index = $derived.by(() => (this.#at < (this.answer?.matches.length ?? 0) ? this.#at : -1));
  /** By id of a node, or of a group that is closed. */
  readonly lit = $derived.by((): ReadonlyMap<string, number> => {
    const { answer } = this;
    const { view } = this.page.main;
    if (!answer) return NO_MATCHES;
    const lit = new Map<string, number>();
    for (const [id, count] of Object.entries(answer.groups)) if (!view.isOpen(id)) lit.set(id, count);
    for (const { id, port_of: user } of answer.matches)
      if (!view.isOpen(id)) lit.set(user ?? id, lit.get(user ?? id) ?? 1);
    return lit;
  });

  type(text: string): void {
    this.#at = -1;
    setSearch(this.page.settings, text);
  }

  /** The next match, or the one before; after the last comes the first. */
  step(by: 1 | -1): void {
    const count = this.answer?.matches.length ?? 0;
    if (count === 0) return;
    const { index } = this;
    this.go(index < 0 ? (by > 0 ? 0 : count - 1) : (index + by + count) % count);
  }

  go(index: number): void {
    const match = this.answer?.matches[index];
    if (!match) return;
    this.#at = index;
    void this.page.reveal(match.port_of ?? match.id);
  }
}
