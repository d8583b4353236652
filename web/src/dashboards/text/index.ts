// Text: what was logged in words, a card for each tag of each run.

import type { CardOffer, DashboardModule } from "../../cards/dashboards";

/** torch and its kin, and the first TensorFlow, append this to every tag. */
const SUFFIX = /\/text_summary$/;

export const cards: readonly CardOffer[] = [
  {
    kind: "text",
    per: "run",
    heightPx: 320,
    titleOf: (tag) => tag.replace(SUFFIX, ""),
    load: () => import("./TextCard.svelte"),
  },
];

export default {
  load: () => import("./Text.svelte"),
  howTo: () => import("./how_to"),
  lists: ["text"],
  cards,
  controls: () => import("./TextControls.svelte"),
} satisfies DashboardModule;
