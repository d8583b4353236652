// How wide the readout beside a chart is. The chart needs it before the readout's code is there.

import { longestOf, textWidthPx } from "../../base/text_width";
import { runCellPx } from "../../ui/RunCell.svelte";

export const READOUT_GAP_PX = 14;
export const READOUT_COLUMN_PX = 54;
const FONT_PX = 12;
const MAX_NAME_PX = 120;

/** For trainings with these names. */
export function readoutPx(names: readonly string[], hasTwoColumns: boolean): number {
  const namePx = Math.min(textWidthPx(longestOf(names), FONT_PX, true), MAX_NAME_PX);
  return READOUT_GAP_PX + runCellPx(namePx, false) + (hasTwoColumns ? 2 : 1) * READOUT_COLUMN_PX;
}
