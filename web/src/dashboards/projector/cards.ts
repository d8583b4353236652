// The cards of embeddings, for the Overview: the points of a run's first embedding.

import type { CardOffer } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  {
    kind: "assets/projector",
    per: "run",
    heightPx: 320,
    isPicture: true,
    // What the config names belongs to it.
    skips: (name) => !name.endsWith("projector_config.pbtxt"),
    titleOf: () => "embedding",
    load: () => import("./card/EmbeddingCard.svelte"),
  },
];
