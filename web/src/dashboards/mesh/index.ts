// Meshes and point clouds: a card for each tag and run, with linked cameras.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Mesh.svelte"),
  howTo: () => import("./how_to"),
  lists: ["mesh"],
  cards,
  controls: () => import("./MeshControls.svelte"),
} satisfies DashboardModule;
