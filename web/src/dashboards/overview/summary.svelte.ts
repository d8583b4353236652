// How the runs are doing, as the server answers it: requested when runs, filters, metrics or the baseline change, while
// runs are written, and now and then, because a run falls silent without a change.

import type { OverviewSummary, OverviewQuery } from "../../api/types";
import { Pacer } from "../../base/pacer";
import type { Session } from "../../state/session.svelte";
import { readSummary } from "./ask";
import { readMetrics } from "../../lines/main_metrics";

const PACE = { restFactor: 20, minRestMs: 1_000, maxRestMs: 20_000 };
const REPEAT_MS = 10_000;
const TICK_MS = 1_000;

export class SummaryState {
  answer = $state.raw<OverviewSummary | null>(null);
  error = $state("");
  /** Seconds since the answer was made, for ages. */
  #sinceS = $state(0);
  #receivedMs = 0;
  readonly #requests = new Pacer(() => this.#request(), PACE);

  constructor(private readonly session: Session) {}

  readonly #query = $derived.by((): OverviewQuery => {
    const { runs, settings, overlay } = this.session;
    return {
      runs: runs.listed.length === runs.count ? null : [...runs.listed],
      metrics: readMetrics(settings),
      baseline: overlay.baseline,
    };
  });

  /** How long ago a wall time was, in seconds. */
  age(wallTime: number): number {
    return (this.answer?.now ?? NaN) - wallTime + this.#sinceS;
  }

  /** Keeps the answer up to date; call it in a component. */
  follow(): void {
    const { session } = this;
    $effect(() => {
      void this.#query;
      void session.changes.generation;
      void session.listing;
      // A run that is read halfway looks as if it had stopped there.
      if (session.isLoaded && !session.isQuiet && session.connection !== "lost") this.#requests.request();
    });
    $effect(() => {
      const ticks = setInterval(() => (this.#sinceS = (Date.now() - this.#receivedMs) / 1_000), TICK_MS);
      const repeats = setInterval(() => session.isLoaded && !session.isQuiet && this.#requests.request(), REPEAT_MS);
      return () => {
        clearInterval(ticks);
        clearInterval(repeats);
        this.#requests.end();
      };
    });
  }

  async #request(): Promise<void> {
    try {
      this.answer = await readSummary(this.session.client, this.#query);
      this.#receivedMs = Date.now();
      [this.#sinceS, this.error] = [0, ""];
    } catch (cause) {
      // The last answer stays; the session reports a lost server.
      this.error = cause instanceof Error ? cause.message : String(cause);
    }
  }
}
