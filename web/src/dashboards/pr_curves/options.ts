// Which view of the curves the user has chosen, for all cards.

import { readCardId } from "../../cards/card_id";
import type { Settings } from "../../state/view/settings.svelte";
import { type CurveView, type ViewInfo, viewInfo } from "./curves";

const OPTION = "pr_curves.view";

export const shownView = (settings: Settings): ViewInfo => viewInfo(settings.option(OPTION));

export function showView(settings: Settings, view: CurveView): void {
  // A part of one view is no part of another.
  for (const id of settings.cards.keys())
    if (readCardId(id).kind === "pr_curve") settings.setCard(id, { x: undefined, y: undefined });
  settings.setOption(OPTION, view, "pr");
}
