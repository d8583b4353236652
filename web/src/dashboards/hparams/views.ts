// The views of HParams below the lines, fetched when one is first shown.

import type { Component } from "svelte";
import type { HParamsPage } from "./hparams_page.svelte";
import type { PageView } from "./options";

export type ViewComponent = Component<{ page: HParamsPage }>;
type Load = () => Promise<{ default: ViewComponent }>;

/** Those of the overview are beside each other. */
export const VIEW_PARTS: Readonly<Partial<Record<PageView, readonly Load[]>>> = {
  "": [
    () => import("./importance/Importance.svelte"),
    () => import("./pareto/Pareto.svelte"),
    () => import("./map/SettingsMap.svelte"),
  ],
  matrix: [() => import("./scatter/ScatterMatrix.svelte")],
  scatter: [() => import("./scatter/Scatter.svelte")],
  slices: [() => import("./slices/Slices.svelte")],
  effect: [() => import("./effect/Effect.svelte")],
  best: [() => import("./best/BestSoFar.svelte")],
  compare: [() => import("./compare/Compare.svelte")],
};
