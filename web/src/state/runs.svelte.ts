// The runs: which there are, which are listed, which are shown, and their colours. Changed through its functions only.

import type { Run } from "../api/types";
import { assignColors, HUES, PALETTE } from "./colors";
import { compilePattern } from "./pattern";
import { hashName, type RunKey, runKey } from "./run_key";
import { ALL, isSelected, only, type Selection, withRuns } from "./selection";

export class RunsState {
  /** Oldest first, as the server lists them. Raw: replaced whole, and there may be thousands. */
  all = $state.raw<readonly Run[]>([]);
  filter = $state("");
  selection = $state.raw<Selection>(ALL);
  /** Replaced only when a run comes or goes, so that what hangs on it rests while runs merely grow. */
  names = $state.raw<readonly string[]>([]);
  /** The run under the pointer in the run list: charts bring it forward. */
  pointedAt = $state<string | null>(null);
  /** The run nearest to the pointer in a chart. */
  lookedAt = $state<string | null>(null);

  readonly pattern = $derived(compilePattern(this.filter));
  readonly listed = $derived(this.all.filter((run) => this.pattern.matches(run.name)));
  /** Names of the runs that charts show: listed and ticked. */
  readonly shown = $derived(this.names.filter((name) => this.pattern.matches(name) && isSelected(this.selection, name)));
  readonly isAllShown = $derived(this.shown.length === this.names.length);

  readonly #colors = $derived(assignColors(this.names));
  readonly #nameByKey = $derived(new Map(this.names.map((name) => [runKey(name), name])));

  color(name: string, theme: "light" | "dark"): string {
    // A chart may show a run a moment before it is listed.
    const slot = this.#colors.get(name) ?? hashName(name) % HUES;
    return (PALETTE[slot] as (typeof PALETTE)[number])[theme];
  }

  nameOf = (key: RunKey): string | undefined => this.#nameByKey.get(key);

  isTicked(name: string): boolean {
    return isSelected(this.selection, name);
  }

  setAll(runs: readonly Run[]): void {
    this.all = runs;
    const isSame = runs.length === this.names.length && runs.every((run, i) => run.name === this.names[i]);
    if (!isSame) this.names = runs.map((run) => run.name);
  }

  tick(name: string, isOn: boolean): void {
    this.selection = withRuns(this.selection, [name], isOn, this.names);
  }

  /** All or none of the listed runs; those that the filter hides stay as they are. */
  tickListed(isOn: boolean): void {
    const listed = this.listed.map((run) => run.name);
    this.selection = withRuns(this.selection, listed, isOn, this.names);
  }

  tickOnly(name: string): void {
    this.selection = only(name);
  }
}
