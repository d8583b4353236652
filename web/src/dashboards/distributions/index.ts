// Distributions: for each run of a histogram tag, percentiles over time.

import { warmUp } from "../../chart/painter_workers";
import type { CardOffer, DashboardModule } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "histogram", per: "run", heightPx: 250, load: () => import("./DistributionCard.svelte") },
];

export default {
  load: () => {
    warmUp();
    return import("./Distributions.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["histogram"],
} satisfies DashboardModule;
