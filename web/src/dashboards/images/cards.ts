// The cards of images: one for each run of a tag.

import type { CardOffer } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "image", per: "run", heightPx: 340, isPicture: true, load: () => import("./ImageCard.svelte") },
];
