// The cards of HParams: views that were pinned, for the Overview.

import type { CardOffer } from "../../cards/dashboards";

export const PINNED_VIEWS = {
  parallel: "Parallel coordinates",
  importance: "What matters",
  pareto: "Pareto",
  map: "Map of two hyperparameters",
  best: "Best so far",
} as const;
export type PinnedView = keyof typeof PINNED_VIEWS;

export const isPinnedView = (tag: string): tag is PinnedView => Object.hasOwn(PINNED_VIEWS, tag);
export const titleOf = (tag: string): string => (isPinnedView(tag) ? PINNED_VIEWS[tag] : tag);

export const cards: readonly CardOffer[] = [
  {
    kind: "hparams",
    per: "tag",
    heightPx: 310,
    isMade: true,
    // The records of hyperparameters are no cards.
    skips: () => true,
    titleOf,
    load: () => import("./card/HParamsCard.svelte"),
  },
];
