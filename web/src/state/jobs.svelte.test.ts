import { describe, expect, it, vi } from "vitest";
import type { ApiError } from "../api/http";
import type { JobHandlers, Partials } from "../api/jobs";
import type { Job } from "../api/types";
import { JobRunner } from "./job_runner";
import { Jobs } from "./jobs.svelte";

function makeJob(changes: Partial<Job> = {}): Job {
  return {
    id: "1",
    work: "text.search",
    title: "Search texts",
    state: "running",
    phase: "",
    done: 0,
    total: null,
    seconds_left: null,
    elapsed_s: 0,
    partials: 0,
    can_pause: false,
    error: null,
    ...changes,
  };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

function begin({ started = makeJob(), listed = [] as Job[] } = {}) {
  const followed: { ids: readonly string[]; handlers: JobHandlers; isStopped: boolean }[] = [];
  const client = {
    startJob: vi.fn(() => Promise.resolve(started)),
    listJobs: vi.fn(() => Promise.resolve({ jobs: listed })),
    jobPartials: vi.fn<(id: string, since: number) => Promise<Partials>>(() =>
      Promise.resolve({ since: 0, partials: [] }),
    ),
    jobResult: vi.fn(() => Promise.resolve("the result")),
    cancelJob: vi.fn((id: string) => Promise.resolve(makeJob({ id, state: "cancelled" }))),
    pauseJob: vi.fn((id: string) => Promise.resolve(makeJob({ id, state: "paused" }))),
    resumeJob: vi.fn((id: string) => Promise.resolve(makeJob({ id, state: "running" }))),
  };
  const follow = (ids: readonly string[], handlers: JobHandlers) => {
    const mine = { ids, handlers, isStopped: false };
    followed.push(mine);
    return () => void (mine.isStopped = true);
  };
  const load = vi.fn((shown: Jobs) => Promise.resolve(new JobRunner(shown, client, follow)));
  const jobs = new Jobs(client.listJobs, load);
  const say = (changes: Partial<Job>, since = 0, partials: unknown[] = []): void =>
    followed.at(-1)?.handlers.onEvent({ job: makeJob(changes), since, partials });
  return { jobs, client, load, followed, say };
}

describe("Jobs", () => {
  it("follows a job to its result", async () => {
    const { jobs, followed, say } = begin();
    const seen: [number, number | null][] = [];
    const parts: unknown[] = [];
    const result = jobs.run(
      "text.search",
      { query: "x" },
      {
        onjob: ({ done, total }) => seen.push([done, total]),
        onpartials: (fresh) => parts.push(...fresh),
      },
    );
    await settle();
    expect(jobs.running.map(({ id }) => id)).toEqual(["1"]);
    say({ done: 5, total: 10, partials: 2 }, 0, ["a", "b"]);
    say({ done: 7, total: 10, partials: 3 }, 2, ["c"]);
    say({ state: "done", done: 10, total: 10, partials: 3 });
    expect(await result).toBe("the result");
    expect(parts).toEqual(["a", "b", "c"]);
    expect(seen).toEqual([
      [0, null],
      [5, 10],
      [7, 10],
      [10, 10],
    ]);
    expect(jobs.running).toEqual([]);
    expect(followed.every(({ isStopped }) => isStopped)).toBe(true);
  });

  it("follows nothing for a result that is there", async () => {
    const { jobs, followed } = begin({ started: makeJob({ state: "done" }) });
    expect(await jobs.run("text.search", {})).toBe("the result");
    await settle();
    expect([followed.length, jobs.running]).toEqual([0, []]);
  });

  it("takes each partial result once and fetches what events do not carry", async () => {
    const { jobs, client, say } = begin();
    const parts: unknown[] = [];
    void jobs.run("text.search", {}, { onpartials: (fresh) => parts.push(...fresh) });
    await settle();
    client.jobPartials.mockResolvedValueOnce({ since: 0, partials: ["a", "b", "c"] });
    say({ partials: 3 });
    await settle();
    expect(client.jobPartials).toHaveBeenCalledWith("1", 0);
    // A new connection begins with the first one again.
    say({ partials: 4 }, 0, ["a", "b", "c", "d"]);
    say({ partials: 5 }, 4, ["e"]);
    expect(parts).toEqual(["a", "b", "c", "d", "e"]);
    expect(client.jobPartials).toHaveBeenCalledTimes(1);
  });

  it("passes on why a job failed", async () => {
    const { jobs, say } = begin();
    const result = jobs.run("text.search", {});
    await settle();
    say({ state: "failed", error: { code: "job_stalled", message: "No progress.", where: null } });
    await expect(result).rejects.toMatchObject({ code: "job_stalled", message: "No progress." } as ApiError);
  });

  it("says that a job is gone when the server does not know it", async () => {
    const { jobs, followed } = begin();
    const result = jobs.run("text.search", {});
    await settle();
    followed.at(-1)?.handlers.onGone("1");
    await expect(result).rejects.toMatchObject({ code: "job_unknown" });
    expect(jobs.running).toEqual([]);
  });

  it("cancels a job that is not wanted any more", async () => {
    const { jobs, client, followed } = begin();
    const abort = new AbortController();
    const result = jobs.run("text.search", {}, { signal: abort.signal });
    await settle();
    abort.abort();
    await expect(result).rejects.toMatchObject({ name: "AbortError" });
    await settle();
    expect(client.cancelJob).toHaveBeenCalledWith("1");
    expect([jobs.running, followed.at(-1)?.isStopped]).toEqual([[], true]);
  });

  it("leaves a job alone that another part of the page waits for", async () => {
    const { jobs, client, say } = begin();
    const abort = new AbortController();
    const first = jobs.run("text.search", {}, { signal: abort.signal });
    const second = jobs.run("text.search", {});
    await settle();
    abort.abort();
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    await settle();
    expect(client.cancelJob).not.toHaveBeenCalled();
    say({ state: "done" });
    expect(await second).toBe("the result");
  });

  it("says that a job was cancelled by the user", async () => {
    const { jobs } = begin();
    const result = jobs.run("text.search", {});
    await settle();
    void jobs.cancel("1");
    await expect(result).rejects.toMatchObject({ code: "job_cancelled" });
  });

  it("follows all jobs on one connection", async () => {
    const { jobs, client, followed } = begin();
    client.startJob.mockResolvedValueOnce(makeJob()).mockResolvedValueOnce(makeJob({ id: "2" }));
    void jobs.run("a", {});
    void jobs.run("b", {});
    await settle();
    expect(followed.filter(({ isStopped }) => !isStopped).map(({ ids }) => ids)).toEqual([["1", "2"]]);
  });

  it("lists jobs of other pages until they end", async () => {
    vi.useFakeTimers();
    const other = makeJob({ id: "9" });
    const { jobs, client } = begin({ listed: [other, makeJob({ id: "8", state: "done" })] });
    await jobs.findOthers();
    expect(jobs.running.map(({ id }) => id)).toEqual(["9"]);
    client.listJobs.mockResolvedValue({ jobs: [] });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(jobs.running).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(client.listJobs).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
  });

  it("loads what runs jobs with the first, and tries again if that fails", async () => {
    const { jobs, load, say } = begin();
    await jobs.findOthers();
    expect(load).not.toHaveBeenCalled();
    load.mockRejectedValueOnce(new Error("The server is away."));
    await expect(jobs.run("text.search", {})).rejects.toThrow("The server is away.");
    const result = jobs.run("text.search", {});
    await settle();
    say({ state: "done" });
    expect(await result).toBe("the result");
  });
});
