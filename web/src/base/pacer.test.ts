import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Pacer } from "./pacer";

describe("Pacer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start(jobMs: number) {
    const startedMs: number[] = [];
    const begin = performance.now();
    const job = (): Promise<void> => {
      startedMs.push(performance.now() - begin);
      return new Promise((done) => setTimeout(done, jobMs));
    };
    return { startedMs, pacer: new Pacer(job, { restFactor: 3, minRestMs: 100, maxRestMs: 1_000 }) };
  }

  it("starts at once, then merges requests into one after a pause", async () => {
    const { startedMs, pacer } = start(100);
    pacer.request();
    for (let i = 0; i < 5; i++) pacer.request();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(startedMs).toEqual([0, 400]);
  });

  it("pauses within its bounds", async () => {
    const slow = start(10_000);
    slow.pacer.request();
    slow.pacer.request();
    const quick = start(0);
    quick.pacer.request();
    quick.pacer.request();
    await vi.advanceTimersByTimeAsync(12_000);
    expect(slow.startedMs).toEqual([0, 11_000]);
    expect(quick.startedMs).toEqual([0, 100]);
  });

  it("does nothing after its end", async () => {
    const { startedMs, pacer } = start(10);
    pacer.request();
    pacer.request();
    pacer.end();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(startedMs).toEqual([0]);
  });
});
