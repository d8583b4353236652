// How this user likes the page, whatever is looked at: remembered by the browser, never part of an address.

import { onOtherTab, recallJson, remember } from "./storage";
import type { Theme } from "./view";

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

const KEY = "preferences";

export class Preferences {
  #data = $state.raw<PreferencesData>(load());

  readonly theme = $derived(this.#data.theme);
  readonly tipSort = $derived(this.#data.tipSort);
  readonly tipRows = $derived(this.#data.tipRows);
  readonly cardWidthPx = $derived(this.#data.cardWidthPx);
  readonly cardHeightPx = $derived(this.#data.cardHeightPx);
  readonly sidePx = $derived(this.#data.sidePx);
  readonly isSideShut = $derived(this.#data.isSideShut);
  readonly isSideWide = $derived(this.#data.isSideWide);
  readonly followsLive = $derived(this.#data.followsLive);

  set(change: Partial<PreferencesData>): void {
    const isSame = Object.entries(change).every(([key, value]) => this.#data[key as keyof PreferencesData] === value);
    if (isSame) return;
    this.#data = { ...this.#data, ...change };
    remember(KEY, JSON.stringify(this.#data));
  }

  /** Follows what other tabs set; returns the function that stops it. */
  follow(): () => void {
    return onOtherTab(KEY, () => (this.#data = load()));
  }
}

/** Only what is there and of the right type counts. */
function load(): PreferencesData {
  const kept = recallJson(KEY);
  if (typeof kept !== "object" || kept === null) return DEFAULT_PREFERENCES;
  const known = Object.entries(kept).filter(([key, value]) => typeof value === typeof DEFAULT_PREFERENCES[key as keyof PreferencesData]);
  return { ...DEFAULT_PREFERENCES, ...Object.fromEntries(known) };
}
