// Scalars: one card per tag, with a line for each run.

import { warmUp } from "../../chart/painter_workers";
import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => {
    warmUp();
    return import("./Scalars.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["scalar"],
  controls: () => import("./ScalarControls.svelte"),
  cards,
} satisfies DashboardModule;
