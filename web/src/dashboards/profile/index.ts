// Profile: what host and devices did during a training, on one timeline, linked to its steps.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Profile.svelte"),
  howTo: () => import("./how_to"),
  lists: [],
  needsWidth: true,
  cards,
  // Profiles are marks on the step axis of the other dashboards.
  keeps: { options: [], isWithData: true, load: () => import("./marks/keep_marks") },
} satisfies DashboardModule;
