// Projector: embeddings as points, projected to two or three dimensions, with their neighbours and over training.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Projector.svelte"),
  howTo: () => import("./how_to"),
  lists: [],
  first: [{ path: "projector?" }],
  needsWidth: true,
  opensFiles: true,
  cards,
} satisfies DashboardModule;
