// Text: what was logged in words, a card for each tag of each run.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Text.svelte"),
  howTo: () => import("./how_to"),
  lists: ["text"],
  cards,
  controls: () => import("./TextControls.svelte"),
} satisfies DashboardModule;
