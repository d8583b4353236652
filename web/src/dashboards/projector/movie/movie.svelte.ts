// All steps of the embedding, projected together and aligned: a job that is started when somebody wants to see it. Its
// positions become the page's frames, and how points moved something to colour by. Created in a component.

import { untrack } from "svelte";
import { ApiError } from "../../../api/http";
import type { Job } from "../../../api/types";
import { keepIfEqual } from "../../../base/keep_if_equal";
import { CANCELLED } from "../../../state/jobs.svelte";
import { packRows, STEPS } from "../ask";
import type { Measure } from "../coloring.svelte";
import { isLogged, seriesKey } from "../embedding_ref";
import type { Frames, ProjectorPage } from "../projector_page.svelte";
import { type Recipe, writeRecipe } from "../recipe";
import { addStep, type MovieData, readMovie } from "./movie_answer";
import { positionsAt, trailsOf } from "./motion";

/** Trails of more points would hide the points. */
const MOST_TRAILS = 400;
/** What is less work need not be asked for: numbers in the vectors of all steps. */
const CHEAP_NUMBERS = 3e7;

interface Wanted {
  readonly key: string;
  readonly run: string;
  readonly name: string;
  readonly recipe: Recipe;
  /** Of PCA: those on the axes. */
  readonly components: readonly number[] | null;
  readonly rows: Int32Array | null;
  readonly steps: readonly number[];
}

export class Movie {
  /** Raw, as both: replaced, never edited. */
  #got = $state.raw<{ readonly key: string; readonly data: MovieData } | null>(null);
  job = $state.raw<Job | null>(null);
  isRunning = $state(false);
  /** Why the last one failed. */
  error = $state("");
  /** Whether steps are shown as they were projected together; otherwise each as it is projected alone. */
  isAligned = $state(true);
  /** Steps behind a point; 0: no trails. */
  trail = $state(6);
  /** What was asked for, and has not failed. */
  #asked = "";
  #abort = new AbortController();

  constructor(private readonly page: ProjectorPage) {
    // Outside: the server. What was asked of another projection is not wanted any more.
    $effect(() => {
      const key = this.#wanted?.key ?? "";
      untrack(() => {
        if (this.#asked === "" || this.#asked === key) return;
        this.#abort.abort();
        this.#asked = "";
        this.isRunning = false;
        this.error = "";
      });
    });
    $effect(() => () => this.#abort.abort());
    // Outside, as all of these: the page, which shows the positions.
    $effect.pre(() => {
      page.frames = this.#frames;
    });
    $effect.pre(() => {
      page.measures = this.#measures;
    });
    $effect.pre(() => {
      const { cloud, selection, step } = page;
      const { data, index, trail } = this;
      const isShown = page.frame !== null && data && trail > 0 && index > 0 && step !== null;
      const rows = isShown && selection.count > 0 && selection.count <= MOST_TRAILS ? selection.rows : null;
      cloud.trails =
        data && rows ? { rows, ...trailsOf(data, rows, index, { length: trail, axes: this.#axes }) } : null;
    });
  }

  readonly #keepWanted = keepIfEqual<Wanted | null>((a, b) => a?.key === b?.key);
  readonly #wanted = $derived.by(() => this.#keepWanted(this.#wantedNow()));
  #wantedNow(): Wanted | null {
    const { series, steps, recipe, isolated } = this.page;
    if (!series || !isLogged(series) || steps.length < 2 || !recipe) return null;
    const components = recipe.method === "pca" ? this.page.shownComponents : null;
    const key = JSON.stringify([series.run, series.name, steps, writeRecipe(recipe), components, isolated?.key ?? ""]);
    return { key, run: series.run, name: series.name, recipe, components, rows: isolated?.rows ?? null, steps };
  }

  /** Of the projection that is shown; null: not computed. */
  readonly data = $derived.by((): MovieData | null =>
    this.#got && this.#got.key === this.#wanted?.key ? this.#got.data : null,
  );
  /** Of the step that is shown. */
  readonly index = $derived.by(() => {
    const { step, steps } = this.page;
    return step === null ? steps.length - 1 : steps.indexOf(step);
  });
  /** Nobody has to ask for it. */
  readonly isCheap = $derived.by(() => {
    const { about, steps, recipe } = this.page;
    const numbers = (about?.rows ?? Infinity) * (about?.dimensions ?? 0) * steps.length;
    return recipe?.method === "pca" && numbers <= CHEAP_NUMBERS;
  });

  readonly #frames = $derived.by((): Frames | null => {
    const { data } = this;
    const recipe = this.#wanted?.recipe;
    if (!data || !recipe || !this.isAligned) return null;
    return {
      series: untrack(() => seriesKey(this.page.series)),
      recipe: writeRecipe(recipe),
      components: this.#wanted?.components?.join() ?? "",
      dimensions: data.dimensions,
      rows: data.rows,
      at: (step) => {
        const index = data.steps.indexOf(step);
        return data.isThere[index] === 1 ? positionsAt(data, index) : null;
      },
    };
  });
  readonly #measures = $derived.by((): readonly Measure[] => {
    const { data } = this;
    if (!data || data.moved.length === 0) return [];
    const { count } = this.page;
    return [
      {
        id: "moved",
        label: "movement over the steps",
        hint: "The way of each point over all steps, in this projection",
        numbers: spread(data.moved, data.rows, count),
      },
      {
        id: "changed",
        label: "change of neighbours",
        hint: "Part of the nearest points that changed from step to step, in all dimensions",
        numbers: spread(data.changed, data.rows, count),
      },
    ];
  });
  readonly #axes = $derived.by((): readonly number[] =>
    (this.data?.dimensions ?? 2) < 3 || this.page.dimensions === 2 ? [0, 1] : [0, 1, 2],
  );

  start(): void {
    const wanted = this.#wanted;
    if (!wanted || this.#asked === wanted.key) return;
    this.#asked = wanted.key;
    void this.#compute(wanted);
  }

  async cancel(): Promise<void> {
    if (this.job) await this.page.session.jobs.cancel(this.job.id);
  }

  async #compute({ key, run, name, recipe, components, rows, steps }: Wanted): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.isRunning = true;
    this.error = "";
    try {
      const shown = components && { components, dimensions: components.length };
      const question = { ...recipe, ...shown, run, name, rows: rows && packRows(rows) };
      const body = await this.page.session.jobs.run<ArrayBuffer, ArrayBuffer>(STEPS, question, {
        signal: abort.signal,
        onjob: (job) => (this.job = job),
        onpartials: (partials) => {
          if (abort.signal.aborted) return;
          let data = this.#got?.key === key ? this.#got.data : null;
          for (const each of partials) if (each instanceof ArrayBuffer) data = addStep(data, steps, each);
          if (data) this.#got = { key, data };
        },
      });
      if (!abort.signal.aborted) this.#got = { key, data: readMovie(body) };
    } catch (cause) {
      if (abort.signal.aborted) return;
      this.#asked = "";
      const isCancelled = cause instanceof ApiError && cause.code === CANCELLED;
      this.error = isCancelled ? "" : cause instanceof Error ? cause.message : String(cause);
    } finally {
      if (this.#abort === abort) this.isRunning = false;
    }
  }
}

/** By row; NaN where a point has no place. */
function spread(values: Float32Array, rows: Int32Array | null, count: number): Float64Array {
  const all = new Float64Array(count).fill(Number.NaN);
  for (let i = 0; i < values.length; i++) all[rows ? (rows[i] as number) : i] = values[i] as number;
  return all;
}
