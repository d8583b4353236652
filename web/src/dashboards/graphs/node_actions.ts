// What can be done with a node: in the menu of the canvas and in the panel.

import type { GraphsPage } from "./graphs_page.svelte";
import { setAside, shownEach } from "./options";

export interface NodeAction {
  readonly label: string;
  readonly hint?: string;
  readonly run: () => void;
}

export function nodeActions(page: GraphsPage, id: string): readonly NodeAction[] {
  const { settings } = page;
  const { view } = page.main;
  const node = view.node(id);
  if (!node) return [{ label: "Show it in the graph", run: () => void page.reveal(id) }];
  const actions: NodeAction[] = [];
  if (node.can_open) {
    actions.push({ label: view.isOpen(id) ? "Close" : "Open", run: () => void view.toggle(id) });
    actions.push({
      label: "Open all below",
      hint: "Up to as many nodes as can be looked at",
      run: () => void view.openBelow(id),
    });
  }
  if (node.type === "repeat" || node.type === "series")
    actions.push({
      label: "Show one by one",
      hint: "Draws every block by itself instead of one for all",
      run: () => page.toggleEach(id),
    });
  const folded = shownEach(settings);
  if (folded.length > 0)
    actions.push({ label: "Fold repeats again", run: () => folded.forEach((each) => page.toggleEach(each)) });
  actions.push(
    node.is_aside
      ? { label: "Bring back into the graph", hint: "Draws its edges again", run: () => setAside(settings, id, false) }
      : {
          label: "Set aside",
          hint: "Draws it beside the graph, without edges",
          run: () => setAside(settings, id, true),
        },
  );
  return actions;
}
