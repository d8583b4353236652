// What leads to the selected node, what follows from it, or the ways to another node: lit in the graph and counted.
// Created in a component and ends with it.

import { untrack } from "svelte";
import { CardData } from "../../../cards/card_data.svelte";
import type { TraceAnswer } from "../answer";
import { loadTrace, type TraceQuery } from "../ask";
import type { GraphsPage } from "../graphs_page.svelte";
import { setTrace, traceOption, type Trace as TraceOption } from "../options";

export class Trace {
  /** The node from which the user looks for the other end of a path; null: for none. */
  from = $state<string | null>(null);
  readonly #data: CardData<TraceQuery, TraceAnswer>;

  constructor(private readonly page: GraphsPage) {
    const { session, main } = page;
    this.#data = new CardData(session, (query, signal) => loadTrace(session.client, query, signal), {
      wanted: () => {
        const { option } = this;
        const id = main.view.selected;
        const { graph } = main;
        if (!option || id === null || !graph || !main.isShown) return null;
        const to = option.direction === "path" ? option.to : null;
        const query = { graph, id, direction: option.direction, to, shown: main.shown, view: main.structure };
        return { key: `${option.direction} ${to} ${id} ${main.shownKey}`, query };
      },
      isWanted: () => true,
    });
    // Outside: the canvas.
    $effect(() => {
      const { distances } = this;
      untrack(() => (main.view.distances = distances));
    });
    // The next node that is selected is the other end of the path.
    $effect(() => {
      const { selected } = main.view;
      const { from } = this;
      if (from === null || selected === from) return;
      untrack(() => {
        this.from = null;
        if (selected === null) return;
        setTrace(page.settings, { direction: "path", to: selected });
        page.select(from);
      });
    });
  }

  readonly #text = $derived.by(() => JSON.stringify(traceOption(this.page.settings)));
  readonly option = $derived.by((): TraceOption | null => JSON.parse(this.#text) as TraceOption | null);
  readonly answer = $derived.by((): TraceAnswer | null => (this.option ? this.#data.value : null));
  readonly error = $derived.by(() => (this.option ? this.#data.error : null));
  readonly distances = $derived.by((): ReadonlyMap<string, number> | null => {
    const { answer } = this;
    if (!answer || this.page.main.view.selected === null) return null;
    const shown = this.#data.answer?.query.shown ?? [];
    const distances = new Map<string, number>();
    answer.distances.forEach((steps, i) => {
      if (steps >= 0) distances.set(shown[i] ?? "", steps);
    });
    return distances;
  });

  /** Lights it, or nothing if it was lit. */
  toggle(direction: "inputs" | "outputs"): void {
    this.from = null;
    setTrace(this.page.settings, this.option?.direction === direction ? null : { direction });
  }

  /** Waits for the other end of a path, or gives it up. */
  pickEnd(): void {
    const isOn = this.from !== null || this.option?.direction === "path";
    if (this.option) setTrace(this.page.settings, null);
    this.from = isOn ? null : this.page.main.view.selected;
  }
}
