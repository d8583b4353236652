import { expect, test } from "vitest";
import { environmentRows, longestOfEach, PARTS, partColor, partsPresent, stepAfter } from "./parts";

test("parts that take no time are left out, the others keep their order", () => {
  expect(partsPresent({ input: 5, device_compute: 90, other: 0, output: 0.1 })).toEqual(["device_compute", "input"]);
  expect(partsPresent({})).toEqual([]);
});

test("every part has a colour in both themes", () => {
  for (const part of Object.keys(PARTS))
    for (const theme of ["light", "dark"] as const) expect(partColor(part, theme)).toMatch(/^#[0-9a-f]{6}$/);
});

test("gains that are not known count nothing, and no step takes less than nothing", () => {
  expect(stepAfter(60, [8, null, 5])).toBe(47);
  expect(stepAfter(10, [8, 5])).toBe(0);
});

test("of steps that have no room the longest are shown", () => {
  const steps = [3, 9, 1, 4, 7].map((end_ps, number) => ({ number, host: "", start_ps: 0, end_ps }));
  expect(longestOfEach(steps, 2).map(({ number }) => number)).toEqual([1, 3, 4]);
  expect(longestOfEach(steps, 1)).toEqual(steps);
  expect(longestOfEach([], 1)).toEqual([]);
  const ranks = steps.map((step, i) => ({ ...step, host: i < 3 ? "rank0" : "rank1" }));
  expect(longestOfEach(ranks, 2).map(({ number }) => number)).toEqual([1, 2, 4]);
});

test("the environment leaves out what is empty", () => {
  const rows = environmentRows({ hosts: 1, device_names: ["H200", "A100"], cuda_version: "", backend: null });
  expect(rows).toEqual([
    { label: "hosts", text: "1" },
    { label: "device names", text: "H200, A100" },
  ]);
});
