// The cards of PR curves: one per tag, with the curve of each run.

import type { CardOffer } from "../../cards/dashboards";

/** Strips the suffix that TensorBoard's own writer appends to every name. */
export const titleOf = (tag: string): string => tag.replace(/(.)\/pr_curves$/, "$1");

export const cards: readonly CardOffer[] = [
  { kind: "pr_curve", per: "tag", heightPx: 360, titleOf, load: () => import("./PrCurveCard.svelte") },
];
