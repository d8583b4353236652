// The cards of graphs, for the Overview: a graph of a run, or a file of one, as a picture that can be moved.

import type { CardOffer } from "../../cards/dashboards";
import { graphTitle } from "./graph_ref";

export const cards: readonly CardOffer[] = (["graph", "assets/graph"] as const).map((kind) => ({
  kind,
  per: "run",
  heightPx: 320,
  isPicture: true,
  titleOf: graphTitle,
  load: () => import("./card/GraphCard.svelte"),
}));
