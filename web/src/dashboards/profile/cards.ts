// The cards of profiles, for the Overview: what the time of a run's profile went to.

import type { CardOffer } from "../../cards/dashboards";

/** A trace in JSON inside a session's folder is a copy of the XPlane beside it. */
const PROFILE = /\.xplane\.pb$|^[^/]*\.json(\.gz)?$/;

export const cards: readonly CardOffer[] = [
  {
    kind: "assets/profile",
    per: "run",
    heightPx: 220,
    isLast: true,
    skips: (name) => !PROFILE.test(name),
    titleOf: () => "profile",
    load: () => import("./card/ProfileCard.svelte"),
  },
];
