import { expect, it } from "vitest";
import { nextTask } from "../base/defer";
import type { Session } from "../state/session.svelte";
import { fittedHeightsOf } from "./fitted_heights.svelte";

it("places cards that report together at once, and forgets what one has no more", async () => {
  const heights = fittedHeightsOf({} as Session);
  heights.report("text", 120);
  heights.reportBelow("chart", 180);
  heights.reportBelow("other", 180);
  heights.reportBelow("other", 0);
  expect([heights.all.size, heights.below.size]).toEqual([0, 0]);
  await nextTask();
  expect(heights.all.get("text")).toBe(120);
  expect([heights.below.get("chart"), heights.below.get("other") ?? 0]).toEqual([180, 0]);

  heights.report("text", 90);
  heights.reportBelow("chart", 0);
  await nextTask();
  expect([heights.all.get("text"), heights.tallest("text"), heights.below.get("chart")]).toEqual([90, 120, 0]);
});
