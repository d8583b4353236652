// The runs: which there are, which are listed, which are shown, and their colours. What the user chose is in the view and
// in the overlay; this is what follows from it.

import type { Run } from "../api/types";
import { assignColors, HUES, PALETTE } from "./colors";
import type { Overlay } from "./overlay.svelte";
import { compilePattern } from "./pattern";
import { hashName, type RunKey, runKey } from "./run_key";
import { isSelected, only, withRuns } from "./selection";
import type { Settings } from "./settings.svelte";

export class RunsState {
  /** Oldest first, as the server lists them. Raw: replaced whole, and there may be thousands. */
  all = $state.raw<readonly Run[]>([]);
  /** Replaced only when a run comes or goes, so that what hangs on it rests while runs merely grow. */
  names = $state.raw<readonly string[]>([]);
  /** The run under the pointer in the run table: charts bring it forward. */
  pointedAt = $state<string | null>(null);
  /** The run nearest to the pointer in a chart. */
  lookedAt = $state<string | null>(null);

  constructor(
    private readonly settings: Settings,
    private readonly overlay: Overlay,
  ) {}

  readonly pattern = $derived.by(() => compilePattern(this.settings.runFilter));
  readonly listed = $derived(this.all.filter((run) => this.pattern.matches(run.name)));
  /** Names of the runs that charts show: listed and ticked. */
  readonly shown = $derived.by(() => this.names.filter((name) => this.pattern.matches(name) && isSelected(this.settings.selection, name)));
  readonly isAllShown = $derived(this.shown.length === this.names.length);

  readonly #colors = $derived(assignColors(this.names));
  readonly #nameByKey = $derived(new Map(this.names.map((name) => [runKey(name), name])));

  color(name: string, theme: "light" | "dark"): string {
    const own = this.overlay.of(name).color;
    if (own) return own;
    // A chart may show a run a moment before it is listed.
    const slot = this.#colors.get(name) ?? hashName(name) % HUES;
    return (PALETTE[slot] as (typeof PALETTE)[number])[theme];
  }

  /** What the run is called on the page. */
  title(name: string): string {
    return this.overlay.of(name).name ?? name;
  }

  nameOf = (key: RunKey): string | undefined => this.#nameByKey.get(key);

  isTicked(name: string): boolean {
    return isSelected(this.settings.selection, name);
  }

  setAll(runs: readonly Run[]): void {
    this.all = runs;
    const isSame = runs.length === this.names.length && runs.every((run, i) => run.name === this.names[i]);
    if (!isSame) this.names = runs.map((run) => run.name);
  }

  tick(names: readonly string[], isOn: boolean): void {
    this.settings.set({ selection: withRuns(this.settings.selection, names, isOn, this.names) });
  }

  /** All or none of the listed runs; those that the filter hides stay as they are. */
  tickListed(isOn: boolean): void {
    this.tick(
      this.listed.map((run) => run.name),
      isOn,
    );
  }

  tickOnly(name: string): void {
    this.settings.set({ selection: only(name) });
  }
}
