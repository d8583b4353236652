// The cards of distributions: one for each run of a histogram tag, or one for each tag with all runs. Pages that mix
// all kinds show histograms instead.

import type { CardOffer } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "histogram", per: "run", heightPx: 250, load: () => import("./DistributionCard.svelte") },
];

export const overlaid: readonly CardOffer[] = [
  { kind: "histogram", per: "tag", heightPx: 300, load: () => import("./DistributionCard.svelte") },
];
