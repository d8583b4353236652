// Text: a card for each tag of each run that logged text.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Text.svelte"),
  howTo: () => import("./how_to"),
  lists: ["text"],
  cards,
  controls: () => import("./TextControls.svelte"),
} satisfies DashboardModule;
