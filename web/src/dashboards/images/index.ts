// Images: one card for each run of a tag, at one step.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./Images.svelte"),
  howTo: () => import("./how_to"),
  controls: () => import("./PictureSettings.svelte"),
  lists: ["image"],
  cards,
} satisfies DashboardModule;
