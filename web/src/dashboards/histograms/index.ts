// Histograms: one card per run of a tag, with all its steps.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Histograms.svelte"),
  howTo: () => import("./how_to"),
  controls: () => import("./HistogramControls.svelte"),
  lists: ["histogram"],
  cards,
} satisfies DashboardModule;
