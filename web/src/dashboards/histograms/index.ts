// Histograms: one card for each run of a tag, with all of its steps.

import type { CardOffer, DashboardModule } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "histogram", per: "run", heightPx: 300, load: () => import("./HistogramCard.svelte") },
];

/** The other way to look at them: one card a tag, with each run at the cursor. */
export const comparison: readonly CardOffer[] = [
  { kind: "histogram", per: "tag", heightPx: 320, load: () => import("./HistogramCard.svelte") },
];

export default {
  load: () => import("./Histograms.svelte"),
  howTo: () => import("./how_to"),
  controls: () => import("./HistogramControls.svelte"),
  lists: ["histogram"],
  cards,
} satisfies DashboardModule;
