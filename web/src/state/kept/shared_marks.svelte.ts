// Marks that all who use a server share, as the page shows them: names, notes, stars, labels and colours of runs, and
// saved views. What talks to the server is loaded only where it shares any.

import type { OverlayChange, SharedMark } from "../../api/types";
import type { RunMarks } from "./overlay.svelte";
import type { SharedSync, Wanted } from "./shared_sync";

export class SharedMarks {
  /** The server shares marks. */
  isOn = $state(false);
  canMark = $state(true);
  /** Why marks cannot be saved now; "" if they can. */
  problem = $state("");
  /** How many changes the server does not have yet. */
  pendingCount = $state(0);
  runs = $state.raw<ReadonlyMap<string, RunMarks>>(new Map());
  /** Addresses by name. */
  views = $state.raw<ReadonlyMap<string, string>>(new Map());
  /** The revision that this page knows. */
  revision = 0;
  #sync: SharedSync | null = null;
  #loading: Promise<SharedSync> | null = null;

  constructor(private readonly load: (marks: SharedMarks) => Promise<SharedSync>) {}

  /** Every log directory has its own. `revision` is the server's; null if it shares none. */
  open(locations: readonly string[], revision: number | null): void {
    this.isOn = revision !== null;
    if (revision !== null) this.#use((sync) => sync.open(locations, revision));
  }

  note(change: OverlayChange): void {
    if (this.isOn) this.#use((sync) => sync.note(change));
  }

  /** Who wrote a field, and when; undefined if nobody has, or only this page a moment ago. */
  author(of: SharedMark["of"], name: string, field: string): { by: string; atMs: number } | undefined {
    // Read, so that what shows it follows changes.
    void this.runs;
    void this.views;
    return this.#sync?.author(of, name, field);
  }

  /** `since` is the revision that the user had seen: what others wrote later is told. */
  change(wanted: readonly Wanted[], since?: number): void {
    this.#use((sync) => sync.change(wanted, since));
  }

  /** Makes these the marks of all runs. */
  writeRuns(runs: ReadonlyMap<string, RunMarks>, since?: number): void {
    this.#use((sync) => sync.writeRuns(runs, since));
  }

  writeViews(views: ReadonlyMap<string, string>): void {
    this.#use((sync) => sync.writeViews(views));
  }

  /** Adds what this browser has of its own; what others have written stays. */
  shareOwn(): void {
    this.#use((sync) => sync.shareOwn());
  }

  end(): void {
    this.#sync?.end();
  }

  #use(then: (sync: SharedSync) => void): void {
    if (this.#sync) then(this.#sync);
    else {
      this.#loading ??= this.load(this).then((sync) => (this.#sync = sync));
      // The next listing tries to load it again.
      this.#loading.then(then, () => (this.#loading = null));
    }
  }
}
