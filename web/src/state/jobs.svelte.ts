// The jobs that this page waits for, and those that others run, as the page shows them. What runs and follows them is
// loaded with the first.

import type { Client } from "../api/client";
import type { Job } from "../api/types";
import type { JobRunner } from "./job_runner";

export const CANCELLED = "job_cancelled";

export interface RunOptions<Part> {
  /** Aborted, the job is cancelled, unless another part of the page waits for it too. */
  readonly signal?: AbortSignal;
  /** The answer to starting it, where that was asked for already. */
  readonly started?: Promise<Job> | undefined;
  readonly onjob?: (job: Job) => void;
  /** New partial results, in order. After a reload or in a second tab, all from the first one. */
  readonly onpartials?: (partials: readonly Part[]) => void;
}

export class Jobs {
  /** Raw: replaced as a whole. Those that wait, run or are paused, oldest first. */
  running = $state.raw<readonly Job[]>([]);
  #runner: Promise<JobRunner> | null = null;

  constructor(
    private readonly listJobs: Client["listJobs"],
    private readonly load: (jobs: Jobs) => Promise<JobRunner>,
  ) {}

  /** The result of a job: of one that runs or is done for the same question, or of a new one. */
  async run<Result, Part = unknown>(work: string, question: object, options: RunOptions<Part> = {}): Promise<Result> {
    const runner = await this.#loaded();
    return runner.run(work, question, options as RunOptions<unknown>) as Promise<Result>;
  }

  cancel(id: string): Promise<void> {
    return this.#loaded().then((runner) => runner.cancel(id));
  }

  pause(id: string): Promise<void> {
    return this.#loaded().then((runner) => runner.pause(id));
  }

  resume(id: string): Promise<void> {
    return this.#loaded().then((runner) => runner.resume(id));
  }

  /** Jobs of other pages, or of this one before it was loaded again. */
  async findOthers(): Promise<void> {
    const listed = await this.listJobs().catch(() => null);
    if (listed && listed.jobs.length > 0) (await this.#loaded()).findOthers(listed);
  }

  end(): void {
    void this.#runner?.then((runner) => runner.end());
  }

  #loaded(): Promise<JobRunner> {
    return (this.#runner ??= this.load(this).catch((cause: unknown) => {
      // The next job tries again.
      this.#runner = null;
      throw cause;
    }));
  }
}
