// The user's settings for all PR curves, stored in the address: which curves to show, and how large.

import { readCardId } from "../../cards/card_id";
import type { Settings } from "../../state/view/settings.svelte";
import { type CurveView, type ViewInfo, viewInfo } from "./curves";

const VIEW = "pr_curves.view";
const COMPACT = "pr_curves.compact";

export const shownView = (settings: Settings): ViewInfo => viewInfo(settings.option(VIEW));

export function showView(settings: Settings, view: CurveView): void {
  // Reset zoom, because a range in one view means nothing in another.
  for (const id of settings.cards.keys())
    if (readCardId(id).kind === "pr_curve") settings.setCard(id, { x: undefined, y: undefined });
  settings.setOption(VIEW, view, "pr");
}

export const isCompactIn = (settings: Settings): boolean => settings.option(COMPACT) === "1";
export const setCompact = (settings: Settings, isCompact: boolean): void =>
  settings.setOption(COMPACT, isCompact ? "1" : "");
