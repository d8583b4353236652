// The cards of audio: one for each tag, with a switch between runs.

import type { CardOffer } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  { kind: "audio", per: "tag", heightPx: 316, load: () => import("./AudioCard.svelte") },
];
