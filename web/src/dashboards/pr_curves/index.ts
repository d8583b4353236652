// PR curves: one card a tag, with the curve of each run at the cursor.

import { warmUp } from "../../chart/painter_workers";
import type { DashboardModule } from "../../cards/dashboards";

/** Without what TensorBoard's own writer puts behind every name. */
export const titleOf = (tag: string): string => tag.replace(/(.)\/pr_curves$/, "$1");

export default {
  load: () => {
    warmUp();
    return import("./PrCurves.svelte");
  },
  howTo: () => import("./how_to"),
  lists: ["pr_curve"],
  controls: () => import("./PrControls.svelte"),
  cards: [
    {
      kind: "pr_curve",
      per: "tag",
      heightPx: 360,
      titleOf,
      load: () => import("./PrCurveCard.svelte"),
    },
  ],
} satisfies DashboardModule;
