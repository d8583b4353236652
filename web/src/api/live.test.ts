import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Connection, openLive } from "./live";
import type { Change } from "./types";

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

  function start() {
    const sources: FakeSource[] = [];
    const seen: Connection[] = [];
    const changes: Change[] = [];
    const stop = openLive({ onChange: (c) => changes.push(c), onConnection: (c) => seen.push(c) }, () => {
      const source = new FakeSource();
      sources.push(source);
      return source as unknown as EventSource;
    });
    return { sources, seen, changes, stop };
  }

  it("hands on changes and the state of the connection", () => {
    const { sources, seen, changes } = start();
    sources[0]?.say("open");
    sources[0]?.say("change", { generation: 3, runs: ["a"], is_loaded: true });
    expect(seen).toEqual(["connecting", "open"]);
    expect(changes).toEqual([{ generation: 3, runs: ["a"], is_loaded: true }]);
  });

  it("leaves a dropped connection to the browser", () => {
    const { sources, seen } = start();
    sources[0]?.say("error");
    vi.advanceTimersByTime(60_000);
    expect(seen).toEqual(["connecting", "lost"]);
    expect(sources).toHaveLength(1);
  });

  it("opens a closed connection again, ever more slowly, and at once after a success", () => {
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

  it("opens nothing after it was ended", () => {
    const { sources, stop } = start();
    sources[0]?.close();
    sources[0]?.say("error");
    stop();
    vi.advanceTimersByTime(60_000);
    expect(sources).toHaveLength(1);
  });
});
