// The cards of graphs, for the Overview: a graph of a run, or a file of one, as a picture that can be moved.

import type { CardOffer } from "../../cards/dashboards";

/** A graph that its writer did not name. */
export const graphTitle = (name: string): string => (name === "__run_graph__" ? "graph" : name);

export const cards: readonly CardOffer[] = (["graph", "assets/graph"] as const).map((kind) => ({
  kind,
  per: "run",
  heightPx: 320,
  isPicture: true,
  titleOf: graphTitle,
  load: () => import("./card/GraphCard.svelte"),
}));
