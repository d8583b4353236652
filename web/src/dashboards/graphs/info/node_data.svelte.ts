// What is known about the selected node. Created in a component and ends with it.

import { CardData } from "../../../cards/card_data.svelte";
import type { NodeAnswer } from "../answer";
import { loadNode, type NodeQuery } from "../ask";
import type { GraphsPage } from "../graphs_page.svelte";

export class NodeData {
  readonly #data: CardData<NodeQuery, NodeAnswer>;

  constructor(private readonly page: GraphsPage) {
    const { session, main } = page;
    this.#data = new CardData(session, (query, signal) => loadNode(session.client, query, signal), {
      wanted: () => {
        const { graph } = main;
        const id = main.view.selected;
        return graph && id !== null ? { key: `${main.key} ${id}`, query: { graph, id, view: main.structure } } : null;
      },
      isWanted: () => true,
    });
  }

  /** Of the selected node; null until it is known. */
  readonly value = $derived.by((): NodeAnswer | null => (this.#data.isCurrent ? this.#data.value : null));
  readonly error = $derived.by(() => (this.page.main.view.selected === null ? null : this.#data.error));
  retry = (): void => this.#data.retry();
}
