// @vitest-environment jsdom
import { flushSync } from "svelte";
import { expect, it, vi } from "vitest";
import { Readiness } from "./readiness.svelte";

it("is ready once every expected card has settled, in any order", () => {
  const readiness = new Readiness();
  readiness.settle("a", true);
  expect([readiness.isExpecting, readiness.isReady]).toEqual([false, false]);
  readiness.expect(["a", "b"]);
  expect([readiness.isExpecting, readiness.isReady]).toEqual([true, false]);
  readiness.settle("b", true);
  expect(readiness.isReady).toBe(true);
  readiness.settle("a", false);
  expect(readiness.isReady).toBe(false);
  readiness.expect(["b"]);
  expect(readiness.isReady).toBe(true);
  readiness.expect(null);
  expect([readiness.isExpecting, readiness.isReady]).toEqual([false, false]);
});

it("runs a job once, after the first cards, unless it is cancelled", () => {
  vi.useFakeTimers();
  const readiness = new Readiness();
  const ran: string[] = [];
  readiness.afterFirst(() => ran.push("kept"));
  const cancel = readiness.afterFirst(() => ran.push("cancelled"));
  flushSync();
  cancel();
  vi.advanceTimersByTime(1000);
  expect(ran).toEqual(["kept"]);
  readiness.expect([]);
  flushSync();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
