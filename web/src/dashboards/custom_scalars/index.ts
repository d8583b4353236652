// Custom scalars: the charts of logged layouts, and of layouts that are made in the page.

import { warmUp } from "../../chart/painter";
import type { DashboardModule } from "../../state/dashboards";

export default {
  load: () => {
    warmUp();
    return import("./CustomScalars.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["scalar"],
} satisfies DashboardModule;
