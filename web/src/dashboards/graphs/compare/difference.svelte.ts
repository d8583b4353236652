// How the shown graph differs from another: in figures, as a list, and on the nodes of both. Created in a component and
// ends with it.

import { untrack } from "svelte";
import { CardData } from "../../../cards/card_data.svelte";
import type { DifferenceAnswer, DifferenceRow, Ghost, NodeState } from "../answer";
import { type DifferenceQuery, loadDifference } from "../ask";
import { graphKey } from "../graph_ref";
import type { GraphsPage } from "../graphs_page.svelte";

const NO_STATES: ReadonlyMap<string, NodeState> = new Map();
const NO_GHOSTS: readonly Ghost[] = [];

export class Difference {
  readonly #data: CardData<DifferenceQuery, DifferenceAnswer>;
  #ghostText = "[]";

  constructor(private readonly page: GraphsPage) {
    const { session, main, other } = page;
    this.#data = new CardData(session, (query, signal) => loadDifference(session.client, query, signal), {
      wanted: () => {
        const [a, b] = [page.against, main.graph];
        if (!a || !b || !main.isShown) return null;
        const isBoth = other.isShown && graphKey(other.graph) === graphKey(a);
        const query = { a, b, shown_a: isBoth ? other.shown : [], shown_b: main.shown, view: main.structure };
        return { key: `${graphKey(a)} ${main.shownKey} ${isBoth ? other.shownKey : ""}`, query };
      },
      isWanted: () => true,
    });
    // Outside: both canvases.
    $effect(() => {
      const { answer } = this;
      const query = this.#data.answer?.query;
      untrack(() => {
        main.view.states = answer && query ? statesOf(query.shown_b, answer.states_b) : NO_STATES;
        other.view.states = answer && query ? statesOf(query.shown_a, answer.states_a) : NO_STATES;
        const ghosts = answer && page.view !== "split" ? answer.ghosts : NO_GHOSTS;
        // Ghosts have a place in the layout: it is made again only for others.
        const text = JSON.stringify(ghosts);
        if (text === this.#ghostText) return;
        this.#ghostText = text;
        main.view.ghosts = ghosts;
      });
    });
  }

  readonly isOn = $derived.by(() => this.page.against !== null && this.page.graph !== null);
  readonly answer = $derived.by((): DifferenceAnswer | null => {
    const answered = this.#data.answer;
    const { against, graph } = this.page;
    // Of these two graphs; which nodes are shown does not change the list.
    const isOfThese =
      answered && graphKey(answered.query.a) === graphKey(against) && graphKey(answered.query.b) === graphKey(graph);
    return isOfThese ? answered.value : null;
  });
  readonly error = $derived.by(() => (this.isOn ? this.#data.error : null));
  retry = (): void => this.#data.retry();

  /** The next of the nodes that a row stands for. */
  #visited = new Map<DifferenceRow, number>();
  visit(row: DifferenceRow): void {
    const { page } = this;
    const ids = row.b.length > 0 ? row.b : row.a;
    const at = (this.#visited.get(row) ?? -1) + 1;
    this.#visited.set(row, at);
    const id = ids[at % Math.max(ids.length, 1)];
    if (id === undefined) return;
    if (row.b.length > 0) return void page.reveal(id);
    // What was removed is only in the other graph.
    if (page.view !== "split") page.setView("split");
    page.other.view.selected = id;
    void page.other.view.reveal(id);
  }
}

function statesOf(shown: readonly string[], states: readonly NodeState[]): ReadonlyMap<string, NodeState> {
  const map = new Map<string, NodeState>();
  states.forEach((state, i) => {
    if (state !== "same") map.set(shown[i] ?? "", state);
  });
  return map;
}
