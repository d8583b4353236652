// The cards of distributions: one for each run of a histogram tag. On pages of all kinds, histograms stand for them.

import type { CardOffer } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "histogram", per: "run", heightPx: 250, load: () => import("./DistributionCard.svelte") },
];
