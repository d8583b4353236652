// The text cards: one for each run of a tag.

import type { CardOffer } from "../../cards/dashboards";

/** torch, similar libraries and TensorFlow 1 append this to every tag. */
const SUFFIX = /\/text_summary$/;

export const titleOf = (tag: string): string => tag.replace(SUFFIX, "");

export const cards: readonly CardOffer[] = [
  { kind: "text", per: "run", heightPx: 320, isFitted: true, titleOf, load: () => import("./TextCard.svelte") },
];
