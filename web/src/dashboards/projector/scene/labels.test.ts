import { expect, test } from "vitest";
import { homeCamera, makeView } from "./camera";
import { candidates, Crowd, placeLabels, placeNames, placeTexts, Taken, type Wanted } from "./labels";

const bounds = { center: [0, 0, 0], half: [1, 1, 1], radius: 1.7 } as const;
const view = makeView(homeCamera(bounds), bounds, { widthPx: 400, heightPx: 300 }, 2);
const wanted = (row: number, x: number, y: number, isImportant = false): Wanted => ({
  row,
  x,
  y,
  text: `point ${row}`,
  widthPx: 60,
  isImportant,
});

test("a label goes to the right of its point, to the left where there is no room, and nowhere where it would cover another", () => {
  const placed = placeLabels(
    [wanted(0, 100, 100), wanted(1, 380, 100), wanted(2, 102, 104)],
    view,
    new Taken(),
    null,
    9,
  );
  expect(placed.map(({ row, align }) => [row, align])).toEqual([
    [0, "left"],
    [1, "right"],
    [2, "right"],
  ]);
  expect(
    placeLabels([wanted(0, 100, 100), wanted(1, 100, 101), wanted(2, 100, 99)], view, new Taken(), null, 9),
  ).toHaveLength(2);
});

test("a label that is not important covers no crowd, and there are only so many", () => {
  const crowd = new Crowd(400, 300);
  for (let x = 0; x < 400; x += 4) crowd.add(x, 100);
  const rows = [wanted(0, 100, 100), wanted(1, 200, 100, true), wanted(2, 100, 200), wanted(3, 100, 250)];
  expect(placeLabels(rows, view, new Taken(), crowd, 1).map(({ row }) => row)).toEqual([1, 2]);
});

test("texts in place of points never overlap", () => {
  const rows = Array.from({ length: 200 }, (_, i) => wanted(i, 20 + ((i * 37) % 360), 20 + ((i * 53) % 260)));
  const placed = placeTexts(rows, view, new Taken());
  expect(placed.length).toBeGreaterThan(20);
  for (const a of placed)
    for (const b of placed) if (a !== b) expect(Math.abs(a.x - b.x) >= 60 || Math.abs(a.y - b.y) > 12.9).toBe(true);
});

test("names go above their group, and lose their detail before they overlap", () => {
  const box = { left: 150, top: 120, right: 250, bottom: 180 };
  const name = {
    name: "coat",
    detail: "zip",
    isGreyed: false,
    box,
    x: 200,
    y: 150,
    nameWidthPx: 40,
    detailWidthPx: 30,
  };
  const [first, second] = placeNames([name, { ...name, name: "pullover" }], view, new Taken(), null);
  expect(first).toMatchObject({ name: "coat", detail: "zip" });
  expect(first?.y).toBeLessThan(120);
  expect(second?.y).toBeGreaterThan(180);
  expect(placeNames([{ ...name, x: 900 }], view, new Taken(), null)).toEqual([]);
});

test("candidates are spread over the screen, in the order given", () => {
  const positions = new Float32Array(3 * 1000);
  for (let i = 0; i < 1000; i++) positions.set([((i * 7) % 100) / 50 - 1, ((i * 13) % 100) / 50 - 1, 0], 3 * i);
  const rows = Uint32Array.from({ length: 1000 }, (_, i) => i);
  const { found } = candidates(view, positions, rows, { from: 0, look: 1000, most: 50, isText: true });
  expect(found).toHaveLength(50);
  expect(found[0]?.row).toBe(0);
  const cells = new Set(found.map(({ x, y }) => `${Math.floor(x / 34)} ${Math.floor(y / 13)}`));
  expect(cells.size).toBe(50);
});
