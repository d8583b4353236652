import { expect, test } from "vitest";
import { sampleSlices } from "./sample_trace";
import { boundsOf, firstAfter, type Window, windowFor, Windows } from "./windows";

const WHOLE = { from: 0, to: 1_000 };
let lastId = 0;
const made = (from: number, to: number, perPx: number, more: Partial<Window> = {}): Window => ({
  ...{ id: ++lastId, from, to, perPx, search: "", keys: new Set([1]), bytes: 100 },
  ...more,
});
function withAll(...list: Window[]): Windows<Window> {
  const windows = new Windows<Window>(() => WHOLE);
  for (const each of list) windows.add(each);
  return windows;
}

test("what is asked for lets the view move and zoom in a little without asking again", () => {
  const view = { from: 400, to: 500 };
  const asked = windowFor(view, 1, WHOLE, 16_000);
  const windows = withAll(made(asked.from, asked.to, asked.perPx));
  expect(windows.isGood(1, view, 1, "")).toBe(true);
  expect(windows.isGood(1, { from: 430, to: 530 }, 1, "")).toBe(true);
  expect(windows.isGood(1, { from: 420, to: 490 }, 0.7, "")).toBe(true);
  expect(windows.isGood(1, { from: 600, to: 700 }, 1, "")).toBe(false);
  expect(windows.isGood(1, { from: 440, to: 460 }, 0.2, "")).toBe(false);
  expect(windows.isGood(1, view, 1, "conv")).toBe(false);
  expect(windows.isGood(2, view, 1, "")).toBe(false);
});

test("beyond the ends of the trace nothing is missing", () => {
  const asked = windowFor({ from: -100, to: 1_100 }, 1, WHOLE, 16_000);
  expect([asked.from, asked.to]).toEqual([0, 1_000]);
  expect(withAll(made(0, 1_000, asked.perPx)).isGood(1, { from: -100, to: 1_100 }, 1, "")).toBe(true);
});

test("what the best answer does not cover is drawn from others, without holes or overlaps", () => {
  const windows = withAll(made(0, 1_000, 10), made(300, 600, 0.7));
  const pieces = windows.pieces(1, { from: 200, to: 700 }, 1, "");
  expect(pieces.map(({ from, to, window }) => [from, to, window.perPx])).toEqual([
    [200, 300, 10],
    [300, 600, 0.7],
    [600, 700, 10],
  ]);
});

test("a search draws the answers that know it", () => {
  const windows = withAll(made(0, 1_000, 1, { search: "conv" }), made(0, 1_000, 1));
  expect(windows.pieces(1, WHOLE, 1, "conv")[0]?.window.search).toBe("conv");
  expect(windows.pieces(1, WHOLE, 1, "")[0]?.window.search).toBe("");
});

test("old answers go, but not the coarsest", () => {
  const first = made(0, 1_000, 50);
  const windows = withAll(first);
  for (let i = 0; i < 100; i++) windows.add(made(i, i + 10, 0.1));
  expect(windows.size).toBeLessThan(60);
  expect(windows.takeGone()).not.toContain(first.id);
  expect(windows.pieces(1, { from: 900, to: 910 }, 0.1, "")[0]?.window).toBe(first);
});

test("rows of slices, also of tracks without some depth", () => {
  const slices = sampleSlices([
    { track: 7, depth: 0, start: 0, duration: 10 },
    { track: 7, depth: 2, start: 1, duration: 2 },
    { track: 7, depth: 2, start: 5, duration: 2 },
    { track: 3, depth: 0, start: 0, duration: 1 },
  ]);
  const bounds = boundsOf(slices);
  expect([...(bounds.get(7)?.starts ?? [])]).toEqual([0, 1, 1, 3]);
  expect([...(bounds.get(3)?.starts ?? [])]).toEqual([3, 4]);
  expect(firstAfter(slices, 1, 3, 4)).toBe(2);
  expect(firstAfter(slices, 1, 3, 3)).toBe(1);
  expect(firstAfter(slices, 1, 3, 100)).toBe(3);
});
