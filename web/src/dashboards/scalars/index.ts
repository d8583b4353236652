// Scalars: one card a tag, with a line for each run.

import { warmUp } from "../../chart/painter";
import type { DashboardModule } from "../../state/dashboards";

export default {
  load: () => {
    warmUp();
    return import("./Scalars.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["scalar"],
  isUsual: true,
} satisfies DashboardModule;
