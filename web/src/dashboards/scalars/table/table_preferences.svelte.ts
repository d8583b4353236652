// The user's preferences for data tables: hidden columns, and whether numbers use smoothed values. All cards share
// them, and the browser stores them.

import { recallJson, remember } from "../../../state/kept/storage";
import type { Basis } from "./table_rows";

const KEY = "scalars-table";
// The other columns fit beside most charts. These are a click away.
const HIDDEN_AT_FIRST = ["min_step", "max_step", "start_step", "end_step"];

class TablePreferences {
  #hidden = $state.raw<ReadonlySet<string>>(new Set(HIDDEN_AT_FIRST));
  #basis = $state<Basis>("smoothed");

  constructor() {
    const kept = recallJson(KEY) as { hidden?: unknown; basis?: unknown } | null;
    if (Array.isArray(kept?.hidden)) this.#hidden = new Set(kept.hidden.filter((key) => typeof key === "string"));
    if (kept?.basis === "raw") this.#basis = "raw";
  }

  get basis(): Basis {
    return this.#basis;
  }

  set basis(basis: Basis) {
    this.#basis = basis;
    this.#write();
  }

  isHidden(column: string): boolean {
    return this.#hidden.has(column);
  }

  toggle(column: string): void {
    const hidden = new Set(this.#hidden);
    if (!hidden.delete(column)) hidden.add(column);
    this.#hidden = hidden;
    this.#write();
  }

  #write(): void {
    remember(KEY, JSON.stringify({ hidden: [...this.#hidden], basis: this.#basis }));
  }
}

export const tablePreferences = new TablePreferences();
