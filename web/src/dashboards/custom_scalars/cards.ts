// The custom scalar cards: one for each chart of a layout.

import { readParts } from "../../base/parts";
import type { CardOffer } from "../../cards/dashboards";
import { DEFAULT_PREFERENCES } from "../../state/kept/preference_data";

/** A chart's title. `tag` encodes its category and title. */
export const titleOf = (tag: string): string => readParts(tag)[1] || "Untitled";

export const cards: readonly CardOffer[] = [
  {
    kind: "custom_scalars",
    per: "tag",
    heightPx: DEFAULT_PREFERENCES.cardHeightPx,
    isMade: true,
    // A layout is not a card, but its charts are.
    skips: () => true,
    titleOf,
    load: () => import("./PinnedChart.svelte"),
  },
];
