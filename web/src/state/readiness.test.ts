import { expect, it } from "vitest";
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
