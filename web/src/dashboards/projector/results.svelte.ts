// Reductions that were asked for: those that run, with the positions that they have reached, and those that are done,
// to switch between. What is shown follows from the address; a reduction that it names and nobody has is started.

import { untrack } from "svelte";
import { ApiError } from "../../api/http";
import type { Job } from "../../api/types";
import { CANCELLED, type Jobs } from "../../state/jobs.svelte";
import type { Session } from "../../state/session.svelte";
import { type EmbeddingRef, type Placed, readPlaced, readReduced, type Reduced, type ReduceQuestion } from "./answer";
import { packRows, REDUCE } from "./ask";
import { embeddingKey, seriesKey } from "./embedding_ref";
import { type Recipe, writeRecipe } from "./recipe";

export type ResultState = "running" | "done" | "stopped" | "failed";

interface Start {
  /** The job that it goes on from. */
  readonly from: string | null;
  readonly perturb: number;
}
const AFRESH: Start = { from: null, perturb: 0 };

/** Equal for the same positions. */
export const resultKey = (embedding: EmbeddingRef, version: string, recipe: Recipe, isolation: string): string =>
  JSON.stringify([embeddingKey(embedding), version, writeRecipe(recipe), isolation]);

/** One reduction of one embedding. */
export class Result {
  state = $state<ResultState>("running");
  /** Raw, as all of these: replaced, never edited. The newest of its jobs. */
  job = $state.raw<Job | null>(null);
  /** What it has reached. */
  placed = $state.raw<Placed | null>(null);
  /** Once it is done. */
  reduced = $state.raw<Reduced | null>(null);
  error = $state("");
  abort = new AbortController();

  constructor(
    readonly key: string,
    readonly embedding: EmbeddingRef,
    readonly recipe: Recipe,
    /** Only these; null: all. */
    readonly rows: Int32Array | null,
  ) {}

  /** Starts its job before the code that follows jobs is there. */
  async runEarly({ client, jobs }: Session): Promise<void> {
    const question = this.#question(AFRESH);
    await this.#run(jobs, question, client.startJob(REDUCE, question));
  }

  run({ jobs }: Session, start: Start): Promise<void> {
    return this.#run(jobs, this.#question(start));
  }

  #question({ from, perturb }: Start): ReduceQuestion {
    const { embedding, rows } = this;
    return { ...this.recipe, embedding, rows: rows && packRows(rows), start: from, perturb };
  }

  async #run(jobs: Jobs, question: ReduceQuestion, started?: Promise<Job>): Promise<void> {
    this.abort = new AbortController();
    this.state = "running";
    this.error = "";
    const { signal } = this.abort;
    try {
      const body = await jobs.run<ArrayBuffer, ArrayBuffer>(REDUCE, question, {
        signal,
        started,
        onjob: (job) => (this.job = job),
        onpartials: (partials) => {
          const newest = partials.at(-1);
          if (newest instanceof ArrayBuffer && !signal.aborted) this.placed = readPlaced(newest);
        },
      });
      if (signal.aborted) return;
      this.reduced = readReduced(body);
      this.placed = this.reduced;
      this.state = "done";
    } catch (cause) {
      if (signal.aborted || (cause instanceof ApiError && cause.code === CANCELLED)) this.state = "stopped";
      else {
        this.state = "failed";
        this.error = cause instanceof Error ? cause.message : String(cause);
      }
    }
  }
}

interface Of {
  readonly session: Session;
  readonly embedding: () => EmbeddingRef | null;
  readonly version: () => string;
  /** Null: not known yet. */
  readonly recipe: () => Recipe | null;
  /** The rows that are shown alone, and what tells this set from others. */
  readonly isolated: () => { readonly rows: Int32Array; readonly key: string } | null;
  /** A result with this key that runs already. */
  readonly early?: (key: string) => Result | null;
  /** Positions of this moment come from elsewhere: nothing needs to be started. */
  readonly isFilled: () => boolean;
}

/** Of one embedding; older ones are dropped. */
const MAX_KEPT = 12;

export class Results {
  #all = $state.raw<readonly Result[]>([]);

  constructor(private readonly of: Of) {
    // Outside: the server, when the address names something else.
    $effect.pre(() => {
      const { wanted } = this;
      if (wanted && !of.isFilled()) untrack(() => this.#find(wanted.key) ?? this.#start(wanted));
    });
    // Jobs of a page that is closed are not wanted any more.
    $effect(() => () => {
      for (const result of this.#all) result.abort.abort();
    });
  }

  /** What the address asks for. */
  readonly wanted = $derived.by(() => {
    const embedding = this.of.embedding();
    const recipe = this.of.recipe();
    if (!embedding || !recipe) return null;
    const isolated = this.of.isolated();
    const key = this.#keyOf(embedding, recipe, isolated?.key ?? "");
    return { key, embedding, recipe, rows: isolated?.rows ?? null };
  });
  readonly #current = $derived.by(() => this.#all.find(({ key }) => key === this.wanted?.key) ?? null);
  /** The one that the address names; null: it is not started. */
  readonly chosen = $derived.by((): Result | null => this.#current);
  /** The one whose positions are on the screen: that of before until the chosen one has some. */
  readonly shown = $derived.by((): Result | null => {
    if (this.#current?.placed) return this.#current;
    const series = seriesKey(this.of.embedding());
    const isHere = (result: Result): boolean => result.placed !== null && seriesKey(result.embedding) === series;
    return this.#all.findLast(isHere) ?? null;
  });
  /** Of this embedding and these points, the newest first. */
  readonly listed = $derived.by((): readonly Result[] => {
    const { wanted } = this;
    if (!wanted) return [];
    const isHere = ({ embedding, rows }: Result): boolean =>
      embeddingKey(embedding) === embeddingKey(wanted.embedding) && rows === wanted.rows;
    const here = this.#all.filter(isHere).toReversed();
    // Once, also if its vectors or labels have changed since.
    const texts = here.map(({ recipe }) => writeRecipe(recipe));
    return here.filter((_, i) => texts.indexOf(texts[i] as string) === i);
  });
  readonly running = $derived.by((): Result | null =>
    this.#current?.state === "running"
      ? this.#current
      : (this.#all.findLast(({ state }) => state === "running") ?? null),
  );

  /** Runs a reduction further, from where it stands. */
  goOn(result: Result, perturb = 0): void {
    if (result.state !== "running" && result.job) void this.#compute(result, { from: result.job.id, perturb });
  }

  /** Computes it again from the beginning, after it failed or was stopped. */
  again(result: Result): void {
    if (result.state !== "running") void this.#compute(result, AFRESH);
  }

  remove(result: Result): void {
    result.abort.abort();
    this.#all = this.#all.filter((each) => each !== result);
  }

  /** Positions that came from elsewhere, as the result of this recipe. It has no job: nothing goes on from it. */
  put(recipe: Recipe, placed: Placed): void {
    const { wanted } = this;
    if (!wanted) return;
    const key = this.#keyOf(wanted.embedding, recipe, this.of.isolated()?.key ?? "");
    const result = new Result(key, wanted.embedding, recipe, wanted.rows);
    result.placed = placed;
    result.state = "done";
    this.#find(key)?.abort.abort();
    this.#all = [...this.#all.filter((each) => each.key !== key), result];
  }

  async cancel(result: Result): Promise<void> {
    if (result.job) await this.of.session.jobs.cancel(result.job.id);
  }
  async pause(result: Result): Promise<void> {
    if (result.job) await this.of.session.jobs.pause(result.job.id);
  }
  async resume(result: Result): Promise<void> {
    if (result.job) await this.of.session.jobs.resume(result.job.id);
  }

  #keyOf(embedding: EmbeddingRef, recipe: Recipe, isolation: string): string {
    return resultKey(embedding, this.of.version(), recipe, isolation);
  }

  #find(key: string): Result | undefined {
    return this.#all.find((result) => result.key === key);
  }

  #start({ key, embedding, recipe, rows }: NonNullable<Results["wanted"]>): void {
    // A step that the cursor has left, or an embedding that is not shown: nobody waits for it.
    for (const result of this.#all)
      if (result.state === "running" && embeddingKey(result.embedding) !== embeddingKey(embedding))
        result.abort.abort();
    const early = this.of.early?.(key);
    const result = early ?? new Result(key, embedding, recipe, rows);
    this.#all = [...this.#all.slice(-MAX_KEPT + 1), result];
    if (!early) void this.#compute(result, AFRESH);
  }

  async #compute(result: Result, start: Start): Promise<void> {
    await result.run(this.of.session, start);
    if (result.abort.signal.aborted) this.#all = this.#all.filter((each) => each !== result || result.placed !== null);
  }
}
