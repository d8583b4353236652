// Custom scalars: the charts of logged layouts and of layouts made in the page.

import { warmUp } from "../../chart/painter_workers";
import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => {
    warmUp();
    return import("./CustomScalars.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["scalar"],
  cards,
} satisfies DashboardModule;
