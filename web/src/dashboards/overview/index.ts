// Overview: cards of every kind, sharing one cursor.

import type { DashboardModule } from "../../cards/dashboards";

export default {
  load: () => import("./Overview.svelte"),
  howTo: () => import("./how_to"),
  lists: "offered",
  leads: ["scalar"],
  isUsual: true,
} satisfies DashboardModule;
