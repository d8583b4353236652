// Meshes and point clouds: a card for each of a run, with a camera that others follow.

import type { CardOffer, DashboardModule } from "../../cards/dashboards";

// The parts of a mesh are series of their own. What a part is stands in its metadata; here, where only tags are known,
// it is told by what the writers append to the name: words, or tensorboardX numbers.
const OTHER_PART = /_(?:FACE|COLOR|2|3)$/;
const VERTICES = /_(?:VERTEX|1)$/;

export const cards: readonly CardOffer[] = [
  {
    kind: "mesh",
    per: "run",
    heightPx: 380,
    skips: (tag) => OTHER_PART.test(tag),
    titleOf: (tag) => tag.replace(VERTICES, ""),
    load: () => import("./MeshCard.svelte"),
  },
];

export default {
  load: () => import("./Mesh.svelte"),
  howTo: () => import("./how_to"),
  lists: ["mesh"],
  cards,
  controls: () => import("./MeshControls.svelte"),
} satisfies DashboardModule;
