// Scalars: one card a tag, with a line for each run.

import { warmUp } from "../../chart/painter_workers";
import type { DashboardModule } from "../../cards/dashboards";
import { DEFAULT_PREFERENCES } from "../../state/kept/preference_data";

export default {
  load: () => {
    warmUp();
    return import("./Scalars.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["scalar"],
  controls: () => import("./ScalarControls.svelte"),
  cards: [
    {
      kind: "scalar",
      per: "tag",
      heightPx: DEFAULT_PREFERENCES.cardHeightPx,
      load: () => {
        warmUp();
        return import("./LooseCard.svelte");
      },
    },
  ],
} satisfies DashboardModule;
