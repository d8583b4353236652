// PR curves: one card per tag, with the curve of each run at the cursor.

import { warmUp } from "../../chart/painter_workers";
import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => {
    warmUp();
    return import("./PrCurves.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["pr_curve"],
  controls: () => import("./PrControls.svelte"),
  cards,
} satisfies DashboardModule;
