// The cards of histograms: one for each run of a tag with all of its steps, or one a tag with each run at the cursor.

import type { CardOffer } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "histogram", per: "run", heightPx: 300, load: () => import("./HistogramCard.svelte") },
];

/** The other way to look at them: one card a tag, with each run at the cursor. */
export const comparison: readonly CardOffer[] = [
  { kind: "histogram", per: "tag", heightPx: 320, load: () => import("./HistogramCard.svelte") },
];
