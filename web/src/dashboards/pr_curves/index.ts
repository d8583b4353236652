// PR curves: one card a tag, with the curve of each run at the cursor.

import type { DashboardModule } from "../../state/dashboards";

export default {
  load: () => import("./PrCurves.svelte"),
  howTo: () => import("./how_to"),
  lists: ["pr_curve"],
  cards: [
    {
      kind: "pr_curve",
      per: "tag",
      heightPx: 360,
      // What TensorBoard's own writer puts behind every name.
      titleOf: (tag) => tag.replace(/(.)\/pr_curves$/, "$1"),
      load: () => import("./PrCurveCard.svelte"),
    },
  ],
} satisfies DashboardModule;
