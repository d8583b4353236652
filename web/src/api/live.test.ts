import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Connection, openLive } from "./live";
import type { Change, Status } from "./types";

class FakeSource extends EventTarget {
  readonly CLOSED = 2;
  readyState = 0;
  close(): void {
    this.readyState = this.CLOSED;
  }
  say(type: string, data?: unknown): void {
    this.dispatchEvent(data === undefined ? new Event(type) : new MessageEvent(type, { data: JSON.stringify(data) }));
  }
}

describe("openLive", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const progress = { runs_found: 1, runs_loaded: 1, bytes_found: 9, bytes_read: 9, bytes_indexed: 0 };

  function start(ask: () => Promise<Partial<Status>> = () => Promise.reject(new Error("down"))) {
    const sources: FakeSource[] = [];
    const seen: Connection[] = [];
    const changes: Change[] = [];
    const open = (): EventSource => {
      const source = new FakeSource();
      sources.push(source);
      return source as unknown as EventSource;
    };
    const handlers = {
      ask: ask as () => Promise<Status>,
      onChange: (c: Change) => changes.push(c),
      onConnection: (c: Connection) => seen.push(c),
    };
    const stop = openLive(handlers, open);
    return { sources, seen, changes, stop };
  }

  it("passes on changes and the state of the connection", () => {
    const { sources, seen, changes } = start();
    const change = { generation: 3, runs: ["a"], is_loaded: true };
    sources[0]?.say("open");
    expect(seen).toEqual(["connecting"]);
    sources[0]?.say("change", change);
    sources[0]?.say("change", change);
    expect(seen).toEqual(["connecting", "open"]);
    expect(changes).toEqual([change, change]);
    sources[0]?.say("error");
    sources[0]?.say("change", change);
    expect(seen).toEqual(["connecting", "open", "lost", "open"]);
  });

  it("leaves a dropped connection to the browser", () => {
    const { sources, seen } = start();
    sources[0]?.say("error");
    vi.advanceTimersByTime(60_000);
    expect(seen.every((each, place) => each === (place === 0 ? "connecting" : "lost"))).toBe(true);
    expect(sources).toHaveLength(1);
  });

  it("reopens a closed connection, with growing pauses, and at once after a success", () => {
    const { sources } = start();
    const fail = (): void => {
      const last = sources.at(-1);
      last?.close();
      last?.say("error");
    };
    fail();
    vi.advanceTimersByTime(1_000);
    expect(sources).toHaveLength(2);
    fail();
    vi.advanceTimersByTime(1_999);
    expect(sources).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(sources).toHaveLength(3);
    sources[2]?.say("open");
    fail();
    vi.advanceTimersByTime(1_000);
    expect(sources).toHaveLength(4);
  });

  it("opens nothing after its end", () => {
    const { sources, stop } = start();
    sources[0]?.close();
    sources[0]?.say("error");
    stop();
    vi.advanceTimersByTime(60_000);
    expect(sources).toHaveLength(1);
  });

  it("polls where pushed events do not arrive, and reports only changes", async () => {
    const ask = vi.fn(() => Promise.resolve({ generation: 7, is_loaded: true, progress }));
    const { seen, changes } = start(ask);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(ask).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.at(-1)).toBe("open");
    expect(changes).toEqual([{ generation: 7, runs: null, is_loaded: true, progress }]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ask).toHaveBeenCalledTimes(3);
    expect(changes).toHaveLength(1);
    ask.mockResolvedValue({ generation: 8, is_loaded: true, progress });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(changes.map((each) => each.generation)).toEqual([7, 8]);
  });

  it("is connected while polling works, even if the connection fails", async () => {
    const { sources, seen } = start(() => Promise.resolve({ generation: 7, is_loaded: true, progress }));
    await vi.advanceTimersByTimeAsync(5_000);
    sources[0]?.say("error");
    expect(seen.at(-1)).toBe("open");
  });

  it("is lost when polling fails too", async () => {
    const ask = vi.fn(() => Promise.reject(new Error("down")));
    const { seen } = start(ask);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(seen.at(-1)).toBe("lost");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it("stops polling once an event arrives, and ignores a late response", async () => {
    let answer: (status: Partial<Status>) => void = () => undefined;
    const ask = vi.fn(() => new Promise<Partial<Status>>((done) => (answer = done)));
    const { sources, changes } = start(ask);
    await vi.advanceTimersByTimeAsync(5_000);
    sources[0]?.say("change", { generation: 9, runs: null, is_loaded: true });
    answer({ generation: 8, is_loaded: true, progress });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(changes.map((each) => each.generation)).toEqual([9]);
  });

  it("polls nothing after its end", async () => {
    const ask = vi.fn(() => Promise.reject(new Error("down")));
    const { stop } = start(ask);
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ask).not.toHaveBeenCalled();
  });
});
