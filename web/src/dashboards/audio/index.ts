// Audio: a card for every tag and run, with a player.

import type { DashboardModule } from "../../cards/dashboards";

export default {
  load: () => import("./Audio.svelte"),
  howTo: () => import("./how_to"),
  lists: ["audio"],
  cards: [{ kind: "audio", per: "run", heightPx: 316, load: () => import("./AudioCard.svelte") }],
  controls: () => import("./AudioControls.svelte"),
} satisfies DashboardModule;
