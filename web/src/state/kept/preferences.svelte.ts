// The preferences of the user, for all log directories. The browser keeps them; they are never part of an address.

import { DEFAULT_PREFERENCES, type PreferencesData } from "./preference_data";
import { onOtherTab, recallJson, remember } from "./storage";

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
  readonly isStripShut = $derived(this.#data.isStripShut);
  readonly followsLive = $derived(this.#data.followsLive);

  set(change: Partial<PreferencesData>): void {
    const isSame = Object.entries(change).every(([key, value]) => this.#data[key as keyof PreferencesData] === value);
    if (isSame) return;
    this.#data = { ...this.#data, ...change };
    remember(KEY, JSON.stringify(this.#data));
  }

  /** Follows changes by other tabs; returns the function that stops it. */
  follow(): () => void {
    return onOtherTab(KEY, () => (this.#data = load()));
  }
}

/** Ignores unknown fields and fields of another type. */
function load(): PreferencesData {
  const kept = recallJson(KEY);
  if (typeof kept !== "object" || kept === null) return DEFAULT_PREFERENCES;
  const known = Object.entries(kept).filter(
    ([key, value]) => typeof value === typeof DEFAULT_PREFERENCES[key as keyof PreferencesData],
  );
  return { ...DEFAULT_PREFERENCES, ...Object.fromEntries(known) };
}
