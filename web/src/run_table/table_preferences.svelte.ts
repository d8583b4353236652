// The preferences for the run table, for all log directories. The browser keeps them.

import { recallJson, remember } from "../state/kept/storage";

interface TablePreferenceData {
  /** By column key; "name" for the first column. */
  readonly widthsPx: Readonly<Record<string, number>>;
  /** Scrolls to the run nearest to the pointer in a chart. */
  readonly followsPointer: boolean;
  /** How many runs “highest or lowest” selects. */
  readonly topCount: number;
  /** Whether the filter field edits the query. */
  readonly isQuerying: boolean;
}

const DEFAULTS: TablePreferenceData = { widthsPx: {}, followsPointer: false, topCount: 5, isQuerying: false };
const KEY = "run-table";

export class TablePreferences {
  #data = $state.raw<TablePreferenceData>(load());

  readonly widthsPx = $derived(this.#data.widthsPx);
  readonly followsPointer = $derived(this.#data.followsPointer);
  readonly topCount = $derived(this.#data.topCount);
  readonly isQuerying = $derived(this.#data.isQuerying);

  set(change: Partial<TablePreferenceData>): void {
    this.#data = { ...this.#data, ...change };
    remember(KEY, JSON.stringify(this.#data));
  }
}

function load(): TablePreferenceData {
  const kept = recallJson(KEY);
  if (typeof kept !== "object" || kept === null) return DEFAULTS;
  const known = Object.entries(kept).filter(
    ([key, value]) => value !== null && typeof value === typeof DEFAULTS[key as keyof TablePreferenceData],
  );
  const { widthsPx, ...rest } = { ...DEFAULTS, ...Object.fromEntries(known) };
  return {
    ...rest,
    widthsPx: Object.fromEntries(Object.entries(widthsPx).filter(([, px]) => typeof px === "number" && px > 0)),
  };
}
