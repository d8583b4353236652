// Images: one card for each run of a tag, at one step.

import type { CardOffer, DashboardModule } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "image", per: "run", heightPx: 340, load: () => import("./ImageCard.svelte") },
];

export default {
  load: () => import("./Images.svelte"),
  howTo: () => import("./how_to"),
  controls: () => import("./PictureSettings.svelte"),
  lists: ["image"],
  cards,
} satisfies DashboardModule;
