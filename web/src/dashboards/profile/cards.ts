// The cards of profiles, for the Overview: the newest profile of a run.

import type { CardOffer } from "../../cards/dashboards";

export const cards: readonly CardOffer[] = [
  {
    kind: "assets/profile",
    per: "run",
    heightPx: 240,
    titleOf: () => "profile",
    load: () => import("./card/ProfileCard.svelte"),
  },
];
