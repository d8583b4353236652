// Custom scalars: the charts of logged layouts, and of layouts that are made in the page.

import { warmUp } from "../../chart/painter_workers";
import type { DashboardModule } from "../../cards/dashboards";
import { readParts } from "../../base/parts";
import { DEFAULT_PREFERENCES } from "../../state/kept/preference_data";

/** Of a chart by the text that names it: its category and its title. */
export const titleOf = (tag: string): string => readParts(tag)[1] || "Without a title";

export default {
  load: () => {
    warmUp();
    return import("./CustomScalars.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["scalar"],
  cards: [
    {
      kind: "custom_scalars",
      per: "tag",
      heightPx: DEFAULT_PREFERENCES.cardHeightPx,
      isMade: true,
      // A layout is no card: its charts are.
      skips: () => true,
      titleOf,
      load: () => import("./LooseChart.svelte"),
    },
  ],
} satisfies DashboardModule;
