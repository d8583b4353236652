// How the legend of a chart with several tags names them. Pure.

import type { Described } from "../api/types";
import { visibleText } from "../base/visible_text";

/** The display name with the tag beside it, as logged, and what was logged about the tag. */
export function tagInLegend(tag: string, about: Described["texts"]): { readonly label: string; readonly hint: string } {
  const shown = about.find((each) => each.display_name)?.display_name;
  const descriptions = new Set(about.map((each) => each.description).filter(Boolean));
  return {
    label: shown ? `${shown} · ${tag}` : tag,
    hint: [visibleText(tag), ...descriptions].join("\n"),
  };
}
