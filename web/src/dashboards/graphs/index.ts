// Graphs: the model as a graph that opens level by level, with costs and logged values on it, and compared with others.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Graphs.svelte"),
  howTo: () => import("./how_to"),
  lists: [],
  first: [{ path: "graphs?" }],
  needsWidth: true,
  opensFiles: true,
  cards,
} satisfies DashboardModule;
