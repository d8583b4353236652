// The cards of texts: one for each run of a tag.

import type { CardOffer } from "../../cards/dashboards";

/** torch and its kin, and the first TensorFlow, append this to every tag. */
const SUFFIX = /\/text_summary$/;

export const titleOf = (tag: string): string => tag.replace(SUFFIX, "");

export const cards: readonly CardOffer[] = [
  { kind: "text", per: "run", heightPx: 320, titleOf, load: () => import("./TextCard.svelte") },
];
