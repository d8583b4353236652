// The preferences of a user, and their defaults. Pure.

import type { Theme } from "../view/view";

export type TipSort = "alphabetical" | "ascending" | "descending" | "nearest_pixel" | "nearest_y";

export interface PreferencesData {
  readonly theme: Theme;
  readonly tipSort: TipSort;
  /** Rows of a tooltip; 0 for as many as fit. */
  readonly tipRows: number;
  readonly cardWidthPx: number;
  readonly cardHeightPx: number;
  readonly sidePx: number;
  /** The side panel is collapsed. Browsers keep it under this name. */
  readonly isSideShut: boolean;
  /** The side panel takes the full width. */
  readonly isSideWide: boolean;
  /** The overview's strip is folded into one line. */
  readonly isStripShut: boolean;
  /** Whether a page updates automatically when it opens. */
  readonly followsLive: boolean;
}

export const DEFAULT_PREFERENCES: PreferencesData = {
  theme: "system",
  tipSort: "nearest_pixel",
  tipRows: 0,
  cardWidthPx: 380,
  cardHeightPx: 236,
  sidePx: 300,
  isSideShut: false,
  isSideWide: false,
  isStripShut: false,
  followsLive: true,
};
