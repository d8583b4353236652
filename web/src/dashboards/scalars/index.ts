// Scalars: one card a tag, with a line for each run.

import type { DashboardModule } from "../../state/dashboards";

export default {
  load: () => import("./Scalars.svelte"),
  howTo: () => import("./how_to"),
  lists: ["scalar"],
  isUsual: true,
} satisfies DashboardModule;
