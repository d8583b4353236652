// Meshes and point clouds: a card for each of a run, with a camera that others follow.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Mesh.svelte"),
  howTo: () => import("./how_to"),
  lists: ["mesh"],
  cards,
  controls: () => import("./MeshControls.svelte"),
} satisfies DashboardModule;
