import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { decodePartials, followJobs } from "./jobs";
import type { Job, JobEvent, Jobs } from "./types";

class FakeSource extends EventTarget {
  readonly CLOSED = 2;
  readyState = 0;
  constructor(readonly path: string) {
    super();
  }
  close(): void {
    this.readyState = this.CLOSED;
  }
  say(job: Partial<Job>, since = 0, partials: unknown[] = []): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ job, since, partials }) }));
  }
  refuse(): void {
    this.close();
    this.dispatchEvent(new Event("error"));
  }
}

describe("followJobs", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start(ids: readonly string[], listed: () => Promise<Partial<Job>[]> = () => Promise.reject(new Error())) {
    const sources: FakeSource[] = [];
    const events: JobEvent[] = [];
    const gone: string[] = [];
    const ask = vi.fn(() => listed().then((jobs) => ({ jobs }) as Jobs));
    const stop = followJobs(
      ids,
      { ask, onEvent: (event) => events.push(event), onGone: (id) => gone.push(id) },
      (path) => {
        const source = new FakeSource(path);
        sources.push(source);
        return source as unknown as EventSource;
      },
    );
    return { sources, events, gone, ask, stop };
  }

  it("hands on events and closes the connection when all have ended", () => {
    const { sources, events } = start(["a", "b"]);
    expect(sources[0]?.path).toBe("api/jobs/events?id=a&id=b");
    sources[0]?.say({ id: "a", state: "running" }, 3, ["x"]);
    sources[0]?.say({ id: "a", state: "done" });
    expect(sources[0]?.readyState).toBe(0);
    sources[0]?.say({ id: "b", state: "failed" });
    expect(sources[0]?.readyState).toBe(2);
    expect(events.map(({ job, since }) => [job.id, job.state, since])).toEqual([
      ["a", "running", 3],
      ["a", "done", 0],
      ["b", "failed", 0],
    ]);
  });

  it("asks where no event gets through", async () => {
    const { events, ask } = start(["a"], () => Promise.resolve([{ id: "a", state: "running" }]));
    await vi.advanceTimersByTimeAsync(2_999);
    expect(ask).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(events.map(({ job }) => job.state)).toEqual(["running"]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it("says which jobs are gone and follows the others", async () => {
    const { sources, gone } = start(["a", "b"], () => Promise.resolve([{ id: "b", state: "running" }]));
    sources[0]?.refuse();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(gone).toEqual(["a"]);
    expect(sources.map(({ path }) => path)).toEqual(["api/jobs/events?id=a&id=b", "api/jobs/events?id=b"]);
  });

  it("keeps trying while the server is out of reach", async () => {
    const { sources, gone } = start(["a"]);
    for (let turn = 0; turn < 3; turn++) {
      sources.at(-1)?.refuse();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect([sources.length, gone]).toEqual([4, []]);
  });

  it("does nothing after it was stopped", async () => {
    const { sources, events, ask, stop } = start(["a"]);
    stop();
    sources[0]?.say({ id: "a", state: "running" });
    sources[0]?.dispatchEvent(new Event("error"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect([events, sources.length]).toEqual([[], 1]);
    expect(ask).not.toHaveBeenCalled();
  });
});

it("decodes partial results of both forms", () => {
  const head = {
    version: 1,
    since: 4,
    partials: [
      { size_bytes: 3, is_json: false },
      { size_bytes: 7, is_json: true },
    ],
  };
  const text = JSON.stringify(head).padEnd(Math.ceil(JSON.stringify(head).length / 8) * 8);
  const body = new Uint8Array(8 + text.length + 16);
  body.set(new TextEncoder().encode("RGC1"));
  new DataView(body.buffer).setUint32(4, text.length, true);
  body.set(new TextEncoder().encode(text), 8);
  body.set([1, 2, 3], 8 + text.length);
  body.set(new TextEncoder().encode('{"a":1}'), 16 + text.length);
  const { since, partials } = decodePartials(body.buffer);
  expect([since, partials[1]]).toEqual([4, { a: 1 }]);
  expect([...new Uint8Array(partials[0] as ArrayBuffer)]).toEqual([1, 2, 3]);
});
