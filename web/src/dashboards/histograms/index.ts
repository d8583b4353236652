// Histograms: one card for each run of a tag, with all of its steps.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Histograms.svelte"),
  howTo: () => import("./how_to"),
  controls: () => import("./HistogramControls.svelte"),
  lists: ["histogram"],
  cards,
} satisfies DashboardModule;
