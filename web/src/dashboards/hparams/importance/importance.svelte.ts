// The importance of hyperparameters for the main metric: a job that runs again when the question changes or further
// runs have a value. One for all views of a page, because the map opens on the strongest pair.

import { untrack } from "svelte";
import { ApiError } from "../../../api/http";
import type { Job } from "../../../api/types";
import { CANCELLED } from "../../../state/jobs.svelte";
import { readMetricId, VALUE } from "../columns";
import type { HParamsPage } from "../hparams_page.svelte";
import { type ImportanceAnswer, type ImportanceQuestion, strongestPair } from "./importance_rows";

/** A faster job shows no progress. */
const PATIENCE_MS = 400;
/** Runs arrive in bursts, and brushes move. */
const QUIET_MS = 250;

interface Found {
  readonly key: string;
  readonly metric: string;
  readonly answer: ImportanceAnswer;
  readonly isFinal: boolean;
}

const made = new WeakMap<HParamsPage, Importance>();

/** Whoever shows it must call `watch`. */
export function importanceOf(page: HParamsPage): Importance {
  let importance = made.get(page);
  if (!importance) $effect.root(() => void made.set(page, (importance = new Importance(page))));
  return importance as Importance;
}

export class Importance {
  #watchers = $state(0);
  #found = $state.raw<Found | null>(null);
  #failure = $state.raw<{ readonly key: string; readonly cause: ApiError } | null>(null);
  #job = $state.raw<Job | null>(null);
  #isSlow = $state(false);
  #pairs = $state.raw<ReadonlyMap<string, readonly [string, string]>>(new Map());
  /** Counts attempts, so that the same question can be asked again. */
  #attempt = $state(0);

  constructor(private readonly page: HParamsPage) {
    // Outside: the job.
    $effect(() => {
      const asked = this.#asked;
      void this.#attempt;
      if (!asked || this.#watchers === 0) return;
      if (untrack(() => this.#found?.key === asked.key && this.#found.isFinal)) return;
      const abort = new AbortController();
      const timer = setTimeout(() => void this.#run(asked.key, asked.question, abort.signal), QUIET_MS);
      return () => {
        clearTimeout(timer);
        abort.abort();
      };
    });
  }

  watch(): () => void {
    untrack(() => this.#watchers++);
    return () => untrack(() => this.#watchers--);
  }

  /** Text, so that a table that was read again asks nothing new. */
  readonly #askedText = $derived.by((): string => {
    const { metric, table, all } = this.page;
    const query = metric && readMetricId(metric.id);
    if (!metric || !query) return "";
    const hparams = table.columns.filter(({ kind, distinct }) => kind === "hparam" && distinct > 1).length;
    const question: ImportanceQuestion = {
      metric: {
        ...query,
        step: query.step ?? null,
        best_group: query.best_group ?? "",
        best_tag: query.best_tag ?? null,
        best: query.best ?? "min",
      },
      goal: metric.goal ?? "min",
      runs: table === all ? null : [...table.runs],
      hparams: null,
      seed: 0,
    };
    // Runs without a value change nothing.
    const count = metric.state.reduce((sum, state) => sum + Number(state === VALUE), 0);
    return JSON.stringify([count, hparams, question]);
  });
  readonly #asked = $derived.by((): { readonly key: string; readonly question: ImportanceQuestion } | null => {
    const key = this.#askedText;
    if (key === "") return null;
    const [, , question] = JSON.parse(key) as [number, number, ImportanceQuestion];
    return { key, question };
  });

  /** Of the main metric, the newest that there is; null: none yet. */
  readonly answer = $derived.by((): ImportanceAnswer | null =>
    this.#found?.metric === this.page.metric?.id ? (this.#found?.answer ?? null) : null,
  );
  /** Nothing better is to come. */
  readonly isSettled = $derived.by(
    () => !this.#asked || this.error !== null || (this.#found?.key === this.#asked.key && this.#found.isFinal),
  );
  readonly job = $derived.by((): Job | null => (this.#isSlow && !this.isSettled ? this.#job : null));
  readonly error = $derived.by((): ApiError | null =>
    this.#failure?.key === this.#asked?.key ? (this.#failure?.cause ?? null) : null,
  );
  readonly isCancelled = $derived.by(() => this.error?.code === CANCELLED);
  /** The names of the pair to look at first. It stays, also when later runs make another one stronger. */
  readonly pair = $derived.by(
    (): readonly [string, string] | null => this.#pairs.get(this.page.metric?.id ?? "") ?? null,
  );

  again(): void {
    this.#failure = null;
    this.#attempt++;
  }

  cancel(): void {
    const { session } = this.page;
    if (this.#job) session.jobs.cancel(this.#job.id).catch((cause: unknown) => session.messages.say(String(cause)));
  }

  async #run(key: string, question: ImportanceQuestion, signal: AbortSignal): Promise<void> {
    const metric = this.page.metric?.id ?? "";
    const show = (answer: ImportanceAnswer, isFinal: boolean): void => {
      if (signal.aborted) return;
      // A quick answer does not replace a thorough one of fewer runs.
      if (!isFinal && this.#found?.metric === metric && this.#found.isFinal) return;
      this.#found = { key, metric, answer, isFinal };
      const pair = isFinal && !this.#pairs.has(metric) ? strongestPair(answer.rows) : null;
      if (pair) this.#pairs = new Map(this.#pairs).set(metric, pair);
    };
    this.#isSlow = false;
    const timer = setTimeout(() => (this.#isSlow = true), PATIENCE_MS);
    try {
      const answer = await this.page.session.jobs.run<ImportanceAnswer, ImportanceAnswer>(
        "hparams.importance",
        question,
        {
          signal,
          onjob: (job) => (this.#job = job),
          onpartials: (parts) => parts.at(-1) && show(parts.at(-1) as ImportanceAnswer, false),
        },
      );
      show(answer, true);
    } catch (cause) {
      if (signal.aborted) return;
      this.#failure = { key, cause: cause instanceof ApiError ? cause : new ApiError("internal", String(cause)) };
    } finally {
      clearTimeout(timer);
    }
  }
}
