// Audio: a card for every tag and run, with a player.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Audio.svelte"),
  howTo: () => import("./how_to"),
  lists: ["audio"],
  cards,
  controls: () => import("./AudioControls.svelte"),
} satisfies DashboardModule;
