// The colour of a value, wherever it stands: `predicted = Shirt` has the colour of `label = Shirt`.

import type { ProjectorPage } from "../projector_page.svelte";

/** Null: the colours are not of categories, or this is none of them. */
export function levelColor({ coloring }: ProjectorPage, level: string): string | null {
  const { shown } = coloring;
  return shown?.kind === "categories" ? (shown.legend.find(({ name }) => name === level)?.color ?? null) : null;
}
