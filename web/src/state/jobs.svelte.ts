// The jobs that this page waits for, and those that others run. Knows nothing of what they compute.

import type { Client } from "../api/client";
import { ApiError } from "../api/http";
import { followJobs, isEnded } from "../api/jobs";
import type { Job, JobEvent } from "../api/types";

export const CANCELLED = "job_cancelled";
const OTHERS_MS = 3_000;

export interface RunOptions<Part> {
  /** Aborted, the job is cancelled, unless another part of the page waits for it too. */
  readonly signal?: AbortSignal;
  readonly onjob?: (job: Job) => void;
  /** New partial results, in order. After a reload or in a second tab, all from the first one. */
  readonly onpartials?: (partials: readonly Part[]) => void;
}

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

export class Jobs {
  /** Raw: replaced as a whole. Those that wait, run or are paused, oldest first. */
  running = $state.raw<readonly Job[]>([]);

  #followers: readonly Follower[] = [];
  #stop: () => void = () => undefined;
  #isReopening = false;
  #othersTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly client: JobsClient,
    private readonly follow: typeof followJobs = followJobs,
  ) {}

  /** The result of a job: of one that runs or is done for the same question, or of a new one. */
  async run<Result, Part = unknown>(work: string, question: object, options: RunOptions<Part> = {}): Promise<Result> {
    const { signal, onjob } = options;
    const started = await this.client.startJob(work, question, signal);
    const job = isEnded(started) ? started : await this.#whenEnded(started, options as RunOptions<unknown>);
    onjob?.(job);
    if (job.state === "cancelled") throw new ApiError(CANCELLED, `${job.title} was cancelled.`);
    if (job.error) throw new ApiError(job.error.code, job.error.message, job.error.where);
    return this.client.jobResult(job.id, signal) as Promise<Result>;
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

  /** Jobs of other pages, or of this one before it was loaded again. Looks as long as there are any; they may end. */
  async findOthers(): Promise<void> {
    clearTimeout(this.#othersTimer);
    const listed = await this.client.listJobs().catch(() => null);
    if (!listed) return;
    const followed = new Set(this.#followers.map(({ id }) => id));
    const known = new Map(listed.jobs.map((job) => [job.id, job]));
    // What this page follows it knows better from events.
    this.running = [
      ...this.running.filter(({ id }) => followed.has(id)),
      ...[...known.values()].filter((job) => !followed.has(job.id) && !isEnded(job)),
    ];
    if (this.running.some(({ id }) => !followed.has(id)))
      this.#othersTimer = setTimeout(() => void this.findOthers(), OTHERS_MS);
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
    const job = this.running.find((each) => each.id === id);
    if (!job) return;
    const message = "The server does not know this job any more. It may have been restarted.";
    this.#hear({
      job: { ...job, state: "failed", error: { code: "job_unknown", message, where: null } },
      since: 0,
      partials: [],
    });
  }

  #note(job: Job): void {
    const isKnown = this.running.some(({ id }) => id === job.id);
    if (isEnded(job)) this.running = this.running.filter(({ id }) => id !== job.id);
    else
      this.running = isKnown ? this.running.map((each) => (each.id === job.id ? job : each)) : [...this.running, job];
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
