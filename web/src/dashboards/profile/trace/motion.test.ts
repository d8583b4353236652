import { expect, test } from "vitest";
import { between, holdKeys, joinHeld, keepInside, panBy, withMargin, zoomAt } from "./motion";

const END = 1e12;

test("zooming keeps the moment under the pointer in its place", () => {
  const view = { from: 2e11, to: 6e11 };
  const zoomed = zoomAt(view, 0.5, 3e11, END);
  expect(zoomed.to - zoomed.from).toBeCloseTo(2e11, -3);
  expect((3e11 - zoomed.from) / (zoomed.to - zoomed.from)).toBeCloseTo(0.25, 9);
});

test("the view stays near the trace, and neither too long nor too short", () => {
  expect(panBy({ from: 0, to: 1e11 }, -100, END).from).toBeGreaterThanOrEqual(-1e11);
  expect(panBy({ from: 0, to: 1e11 }, 100, END).to).toBeLessThanOrEqual(END + 1e11);
  const all = zoomAt({ from: 0, to: END }, 1_000, 5e11, END);
  expect(all.to - all.from).toBeLessThanOrEqual(END * 1.11);
  const least = zoomAt({ from: 0, to: 2_000 }, 1e-9, 500, END);
  expect(least.to - least.from).toBe(1_000);
  expect(keepInside({ from: 1, to: 1 }, END).to).toBeGreaterThan(1);
});

test("an event is fitted with room on either side", () => {
  const { from, to } = withMargin({ from: 4e11, to: 5e11 }, END);
  expect(from).toBeLessThan(4e11);
  expect(to).toBeGreaterThan(5e11);
});

test("the way between two views begins and ends there, and zooms evenly", () => {
  const [a, b] = [
    { from: 0, to: END },
    { from: 5e11, to: 5e11 + 1e8 },
  ];
  expect(between(a, b, 0).to).toBeCloseTo(a.to, -3);
  expect(between(a, b, 1)).toBe(b);
  const lengths = [0.25, 0.5, 0.75].map((share) => between(a, b, share)).map(({ from, to }) => to - from);
  expect(lengths.map(Math.log10).map((power) => Math.round(power * 10) / 10)).toEqual([11, 10, 9]);
});

test("held keys move and zoom together, and undo each other", () => {
  const view = { from: 4e11, to: 5e11 };
  expect(joinHeld(["a", "d"])).toEqual({ pan: 0, zoom: 0 });
  const { from, to } = holdKeys(view, joinHeld(["w", "d"]), 4.5e11, 1_000, 100, END);
  expect(to - from).toBeLessThan(1e11);
  expect((from + to) / 2).toBeGreaterThan(4.5e11);
  expect(holdKeys(view, joinHeld(["s"]), 4.5e11, 0, 16, END).to).toBeGreaterThan(view.to);
});
