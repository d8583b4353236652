// The cards of histograms: one per run of a tag with all its steps, or one per tag with each run at the cursor.

import type { CardOffer } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "histogram", per: "run", heightPx: 300, load: () => import("./HistogramCard.svelte") },
];

/** For comparing runs: one card per tag, with each run at the cursor. */
export const comparison: readonly CardOffer[] = [
  { kind: "histogram", per: "tag", heightPx: 320, load: () => import("./HistogramCard.svelte") },
];
