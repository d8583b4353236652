// How wide the readout beside a chart is. The chart needs it before the readout's code and the values are there.

import { longestOf, textWidthPx } from "../../base/text_width";
import { runCellPx } from "../../ui/RunCell.svelte";

export const READOUT_GAP_PX = 14;
export const READOUT_COLUMN_PX = 54;
const FONT_PX = 12;
// As wide as most values are, and the gap before them.
const VALUE = "  0.01234";
// Short names leave room for longer values, and for the step above them.
const NAME_PX = [80, 220] as const;

/** For trainings with these names: at most half of the card unless names would be too short to read. */
export function readoutPx(names: readonly string[], hasTwoColumns: boolean, cardPx: number): number {
  const valuePx = textWidthPx(VALUE, FONT_PX, true);
  const otherPx = READOUT_GAP_PX + runCellPx(0, false) + (hasTwoColumns ? 2 : 1) * valuePx;
  const [leastPx, mostPx] = NAME_PX;
  const roomPx = Math.min(mostPx, Math.max(leastPx, cardPx / 2 - otherPx));
  const namePx = textWidthPx(longestOf(names), FONT_PX, true);
  return otherPx + Math.min(Math.max(namePx, leastPx), roomPx);
}
