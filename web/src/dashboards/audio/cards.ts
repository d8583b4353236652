// The cards of audio: one for each run of a tag.

import type { CardOffer } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "audio", per: "run", heightPx: 316, load: () => import("./AudioCard.svelte") },
];
