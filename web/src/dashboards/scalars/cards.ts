// The scalar cards: one per tag, with a line for each run.

import type { CardOffer } from "../../cards/dashboards";
import { warmUp } from "../../chart/painter_workers";
import { DEFAULT_PREFERENCES } from "../../state/kept/preference_data";

export const cards: readonly CardOffer[] = [
  {
    kind: "scalar",
    per: "tag",
    heightPx: DEFAULT_PREFERENCES.cardHeightPx,
    load: () => {
      warmUp();
      return import("./OverviewCard.svelte");
    },
  },
];
