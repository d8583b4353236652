// The cards of profiles, for the Overview: what the time of a run's profile went to.

import type { CardOffer } from "../../cards/dashboards";

/** Files that are profiles by themselves; others only belong to one. */
const PROFILE = /\.xplane\.pb$|\.pt\.trace\.json(\.gz)?$|^(?!.*plugins\/profile\/).*\.trace\.json(\.gz)?$/;

export const cards: readonly CardOffer[] = [
  {
    kind: "assets/profile",
    per: "run",
    heightPx: 220,
    skips: (name) => !PROFILE.test(name),
    titleOf: () => "profile",
    load: () => import("./card/ProfileCard.svelte"),
  },
];
