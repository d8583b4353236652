// The cards of graphs, for the Overview: a graph of a run, or a file of one, as a picture that can be moved.

import type { CardOffer } from "../../cards/dashboards";

/** Event files have one graph without a name. */
export const isNamed = (name: string): boolean => name !== "__run_graph__";
export const graphTitle = (name: string): string => (isNamed(name) ? name : "graph");

export const cards: readonly CardOffer[] = (["graph", "assets/graph"] as const).map((kind) => ({
  kind,
  per: "run",
  heightPx: 320,
  isPicture: true,
  titleOf: graphTitle,
  load: () => import("./card/GraphCard.svelte"),
}));
