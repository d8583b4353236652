// Runs jobs and follows them, this page's and those of others. Loaded with the first. Knows nothing of what they
// compute.

import type { Client } from "../api/client";
import { ApiError } from "../api/http";
import { followJobs, isEnded } from "../api/jobs";
import type { Job, JobEvent, Jobs as JobList } from "../api/types";
import { CANCELLED, type Jobs, type RunOptions } from "./jobs.svelte";

const OTHERS_MS = 3_000;

interface Follower {
  readonly id: string;
  readonly onjob: (job: Job) => void;
  readonly onpartials: (partials: readonly unknown[]) => void;
  readonly onend: (job: Job) => void;
  /** How many partial results it was given, and how many there are. */
  have: number;
  known: number;
  isFetching: boolean;
}

type JobsClient = Pick<
  Client,
  "startJob" | "listJobs" | "jobPartials" | "jobResult" | "cancelJob" | "pauseJob" | "resumeJob"
>;

export class JobRunner {
  #followers: readonly Follower[] = [];
  #stop: () => void = () => undefined;
  #isReopening = false;
  #othersTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly shown: Pick<Jobs, "running">,
    private readonly client: JobsClient,
    private readonly follow: typeof followJobs = followJobs,
  ) {}

  async run(work: string, question: object, options: RunOptions<unknown>): Promise<unknown> {
    const { signal, onjob } = options;
    const started = await (options.started ?? this.client.startJob(work, question, signal));
    const job = isEnded(started) ? started : await this.#whenEnded(started, options);
    onjob?.(job);
    if (job.state === "cancelled") throw new ApiError(CANCELLED, `${job.title} was cancelled.`);
    if (job.error) throw new ApiError(job.error.code, job.error.message, job.error.where);
    return this.client.jobResult(job.id, signal);
  }

  cancel(id: string): Promise<void> {
    return this.#change(this.client.cancelJob(id));
  }

  pause(id: string): Promise<void> {
    return this.#change(this.client.pauseJob(id));
  }

  resume(id: string): Promise<void> {
    return this.#change(this.client.resumeJob(id));
  }

  /** Looks as long as there are any that this page does not follow; they may end. */
  findOthers({ jobs }: JobList): void {
    clearTimeout(this.#othersTimer);
    const followed = new Set(this.#followers.map(({ id }) => id));
    // What this page follows it knows better from events.
    this.shown.running = [
      ...this.shown.running.filter(({ id }) => followed.has(id)),
      ...jobs.filter((job) => !followed.has(job.id) && !isEnded(job)),
    ];
    if (this.shown.running.some(({ id }) => !followed.has(id)))
      this.#othersTimer = setTimeout(() => {
        this.client.listJobs().then(
          (listed) => this.findOthers(listed),
          () => undefined,
        );
      }, OTHERS_MS);
  }

  end(): void {
    clearTimeout(this.#othersTimer);
    this.#followers = [];
    this.#stop();
  }

  #whenEnded(job: Job, { signal, onjob, onpartials }: RunOptions<unknown>): Promise<Job> {
    return new Promise((resolve, reject) => {
      const follower: Follower = {
        id: job.id,
        onjob: (now) => onjob?.(now),
        onpartials: (partials) => onpartials?.(partials),
        onend: (now) => {
          signal?.removeEventListener("abort", leave);
          this.#remove(follower);
          resolve(now);
        },
        have: 0,
        known: 0,
        isFetching: false,
      };
      const leave = (): void => {
        this.#remove(follower);
        if (!this.#followers.some(({ id }) => id === job.id)) this.cancel(job.id).catch(() => undefined);
        reject(new DOMException("The job is not wanted any more.", "AbortError"));
      };
      signal?.addEventListener("abort", leave);
      if (signal?.aborted) return leave();
      this.#followers = [...this.#followers, follower];
      this.#note(job);
      follower.onjob(job);
      this.#reopen();
    });
  }

  #remove(follower: Follower): void {
    this.#followers = this.#followers.filter((each) => each !== follower);
    this.#reopen();
  }

  /** One connection for all jobs: browsers allow a server six in all tabs together. */
  #reopen(): void {
    if (this.#isReopening) return;
    this.#isReopening = true;
    queueMicrotask(() => {
      this.#isReopening = false;
      this.#stop();
      const ids = [...new Set(this.#followers.map(({ id }) => id))];
      this.#stop =
        ids.length === 0
          ? () => undefined
          : this.follow(ids, {
              ask: () => this.client.listJobs(),
              onEvent: (event) => this.#hear(event),
              onGone: (id) => this.#lose(id),
            });
    });
  }

  #hear(event: JobEvent): void {
    const { job } = event;
    this.#note(job);
    for (const follower of this.#followers.filter(({ id }) => id === job.id)) {
      this.#give(follower, event);
      if (isEnded(job)) follower.onend(job);
      else follower.onjob(job);
    }
  }

  #lose(id: string): void {
    const job = this.shown.running.find((each) => each.id === id);
    if (!job) return;
    const message = "The server does not know this job any more. It may have been restarted.";
    this.#hear({
      job: { ...job, state: "failed", error: { code: "job_unknown", message, where: null } },
      since: 0,
      partials: [],
    });
  }

  #note(job: Job): void {
    const isKnown = this.shown.running.some(({ id }) => id === job.id);
    if (isEnded(job)) this.shown.running = this.shown.running.filter(({ id }) => id !== job.id);
    else
      this.shown.running = isKnown
        ? this.shown.running.map((each) => (each.id === job.id ? job : each))
        : [...this.shown.running, job];
  }

  #give(follower: Follower, { job, since, partials }: JobEvent): void {
    follower.known = job.partials;
    if (since <= follower.have) this.#hand(follower, since, partials);
    // What did not fit into events is fetched. Of a job that is done, the result has everything.
    if (follower.have < follower.known && !follower.isFetching && job.state !== "done")
      void this.#loadPartials(follower);
  }

  async #loadPartials(follower: Follower): Promise<void> {
    follower.isFetching = true;
    try {
      while (follower.have < follower.known && this.#followers.includes(follower)) {
        const { since, partials } = await this.client.jobPartials(follower.id, follower.have);
        if (partials.length === 0) break;
        // Where only the newest is kept, earlier ones are gone.
        follower.have = Math.max(follower.have, since);
        this.#hand(follower, since, partials);
      }
    } catch {
      // The next event tries again.
    } finally {
      follower.isFetching = false;
    }
  }

  #hand(follower: Follower, since: number, partials: readonly unknown[]): void {
    const fresh = partials.slice(follower.have - since);
    if (fresh.length === 0) return;
    follower.have += fresh.length;
    follower.onpartials(fresh);
  }

  async #change(answer: Promise<Job>): Promise<void> {
    this.#hear({ job: await answer, since: 0, partials: [] });
  }
}
