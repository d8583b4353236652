// The cards of meshes: one for each run of a mesh, whatever its parts are called.

import type { CardOffer } from "../../cards/dashboards";

// The parts of a mesh are series of their own. What a part is stands in its metadata; here, where only tags are known,
// it is told by what the writers append to the name: words, or tensorboardX numbers.
const OTHER_PART = /_(?:FACE|COLOR|2|3)$/;
const VERTICES = /_(?:VERTEX|1)$/;

export const titleOf = (tag: string): string => tag.replace(VERTICES, "");

export const cards: readonly CardOffer[] = [
  {
    kind: "mesh",
    per: "run",
    heightPx: 380,
    isPicture: true,
    skips: (tag) => OTHER_PART.test(tag),
    titleOf,
    load: () => import("./MeshCard.svelte"),
  },
];
