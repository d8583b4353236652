// Distributions: for each run of a histogram tag, percentiles over time.

import { warmUp } from "../../chart/painter_workers";
import type { DashboardModule } from "../../cards/dashboards";

export default {
  load: () => {
    warmUp();
    return import("./Distributions.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["histogram"],
} satisfies DashboardModule;
