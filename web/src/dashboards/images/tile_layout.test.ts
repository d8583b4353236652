import { expect, test } from "vitest";
import { layTiles, TILE_GAP_PX } from "./tile_layout";

test("four squares in a square stand two by two", () => {
  expect(layTiles(4, 1, 204, 204)).toEqual({ columns: 2, widthPx: 100, heightPx: 100 });
});

test("wide pictures stand one above the other", () => {
  expect(layTiles(3, 4, 400, 308)).toEqual({ columns: 1, widthPx: 400, heightPx: 100 });
});

test.each([1, 2, 3, 5, 8, 13])("%i pictures all fit", (count) => {
  const { columns, widthPx, heightPx } = layTiles(count, 1.5, 330, 240);
  const rows = Math.ceil(count / columns);
  expect(columns * widthPx + (columns - 1) * TILE_GAP_PX).toBeLessThanOrEqual(330);
  expect(rows * heightPx + (rows - 1) * TILE_GAP_PX).toBeLessThanOrEqual(240);
});

test("too many keep a size at which they can be seen", () => {
  const { columns, widthPx } = layTiles(1_000, 1, 300, 200);
  expect(columns).toBe(6);
  expect(widthPx).toBe(46);
});

test("there is a tile even where there is no room", () => {
  expect(layTiles(3, 1, 0, 0)).toEqual({ columns: 1, widthPx: 1, heightPx: 1 });
});
