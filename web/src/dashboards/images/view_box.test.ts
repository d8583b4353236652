import { expect, test } from "vitest";
import { panBy, pixelAt, place, readZoom, WHOLE, writeZoom, zoomAt } from "./view_box";

const BOX = { width: 200, height: 100 };
const SQUARE = { width: 50, height: 50 };

test("a picture fits its box and stands in its middle", () => {
  const placement = place(BOX, SQUARE, WHOLE, false);
  expect(placement).toMatchObject({ scale: 2, leftPx: 50, topPx: 0 });
  expect(placement.seen).toEqual({ leftPx: 50, topPx: 0, widthPx: 100, heightPx: 100 });
  expect(placement.source).toEqual({ x: 0, y: 0, width: 50, height: 50 });
});

test("at its own size a large picture shows its middle", () => {
  const placement = place(BOX, { width: 400, height: 400 }, WHOLE, true);
  expect(placement.scale).toBe(1);
  expect(placement.source).toEqual({ x: 100, y: 150, width: 200, height: 100 });
});

test("what is under the pointer stays under it when zoomed", () => {
  const wide = { width: 100, height: 50 };
  const before = pixelAt(place(BOX, wide, WHOLE, false), wide, 121, 31);
  let zoom = WHOLE;
  for (let i = 0; i < 4; i++) zoom = zoomAt(BOX, wide, zoom, false, 1.5, 121, 31);
  expect(zoom.factor).toBeCloseTo(1.5 ** 4);
  expect(pixelAt(place(BOX, wide, zoom, false), wide, 121, 31)).toEqual(before);
});

test("zooming out ends with the whole picture, zooming in with huge pixels", () => {
  expect(zoomAt(BOX, SQUARE, WHOLE, false, 0.1, 10, 10)).toEqual(WHOLE);
  expect(zoomAt(BOX, SQUARE, WHOLE, false, 1e9, 10, 10).factor).toBe(64);
  // At its own size, a picture larger than its box can be made smaller.
  expect(zoomAt(BOX, { width: 400, height: 400 }, WHOLE, true, 0.01, 10, 10).factor).toBe(0.25);
});

test("moving ends at the edges", () => {
  const zoom = { factor: 4, x: 0.5, y: 0.5 };
  const moved = panBy(BOX, SQUARE, zoom, false, 1_000, -1_000);
  const { source } = place(BOX, SQUARE, moved, false);
  expect(source.x).toBeCloseTo(0);
  expect(source.y + source.height).toBeCloseTo(50);
  // Having been pulled too far costs nothing on the way back.
  expect(place(BOX, SQUARE, panBy(BOX, SQUARE, moved, false, -80, 0), false).source.x).toBeCloseTo(10);
});

test("outside of the picture there is no pixel", () => {
  const placement = place(BOX, SQUARE, WHOLE, false);
  expect(pixelAt(placement, SQUARE, 49, 10)).toBeNull();
  expect(pixelAt(placement, SQUARE, 50, 99)).toEqual({ x: 0, y: 49 });
});

test("a zoom is the same after the address", () => {
  expect(readZoom(writeZoom({ factor: 2.5, x: 0.25, y: 0.75 }))).toEqual({ factor: 2.5, x: 0.25, y: 0.75 });
  for (const text of ["", "x", "0,1,1", "1,2", "NaN,1,1", "Infinity,0,0"]) expect(readZoom(text)).toBe(WHOLE);
});
