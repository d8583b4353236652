// What a user can like about the page, and what everybody begins with. Pure.

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
  readonly isSideShut: boolean;
  /** The side panel takes the whole width. */
  readonly isSideWide: boolean;
  /** Whether a page that is opened updates by itself. */
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
  followsLive: true,
};
