// Which scalar series have values that are not finite, and where they begin. Asked for only on demand.

import type { NotFinite, NotFiniteSeries } from "../../api/types";
import { Pacer } from "../../base/pacer";

const PACE = { restFactor: 8, minRestMs: 1_000, maxRestMs: 30_000 };

export class NotFiniteState {
  /** Raw: replaced as a whole. In order of time: the first NaN of all comes first. */
  #series = $state.raw<readonly NotFiniteSeries[] | null>(null);
  #holders = 0;
  readonly #pacer = new Pacer(() => this.load(), PACE);

  readonly all = $derived(this.#series ?? []);
  /** Whether the server has responded yet. */
  readonly isKnown = $derived(this.#series !== null);
  readonly #nanRuns = $derived(new Set(this.all.filter(({ nan_count }) => nan_count > 0).map(({ run }) => run)));
  readonly #infRuns = $derived(new Set(this.all.filter(({ inf_count }) => inf_count > 0).map(({ run }) => run)));

  constructor(private readonly ask: () => Promise<NotFinite>) {}

  has(what: "nan" | "inf", run: string): boolean {
    return (what === "nan" ? this.#nanRuns : this.#infRuns).has(run);
  }

  /** Loads it now and whenever the logs grow, until the returned function is called. */
  hold(): () => void {
    this.#holders++;
    this.#pacer.request();
    return () => void this.#holders--;
  }

  /** The logs have grown. */
  refresh(): void {
    if (this.#holders > 0) this.#pacer.request();
  }

  end(): void {
    this.#pacer.end();
  }

  private async load(): Promise<void> {
    try {
      this.#series = (await this.ask()).series;
    } catch {
      // The session's own listing reports the error; the next change tries again.
    }
  }
}
