import { expect, test } from "vitest";
import { homeCamera, makeView, project } from "./camera";
import { drawOrder, placesInOrder, shuffledRows } from "./draw_order";
import { boxAround, nearestPoint, pointsInBall, pointsInside, rowsInView } from "./reach";
import { type Pixels, splat, swapped } from "./splat";

const bounds = { center: [0, 0, 0], half: [1, 1, 1], radius: 1.7 } as const;
const viewport = { widthPx: 200, heightPx: 160 };
const white = (): Pixels => ({ data: new Uint32Array(200 * 160).fill(0xffffffff), width: 200, height: 160 });
const positions = Float32Array.of(-0.5, 0.5, 0, 0.5, -0.5, 0.4, NaN, NaN, NaN, 0.5, -0.5, -0.4);
const masks = { positions, hidden: null, greyed: null, selected: null };
const colors = Uint32Array.of(0xff0000, 0x00ff00, 0x0000ff).map(swapped);
const dots = { starts: null, part: 1, colors, color: 0, radius: 3, opacity: 1, ring: 0, start: 0 };
const three = Float32Array.of(-0.5, 0.5, 0, 0.5, -0.5, 0.4, 0.5, -0.5, -0.4);

const at = ({ data, width }: Pixels, x: number, y: number): string =>
  ((data[Math.floor(y) * width + Math.floor(x)] as number) >>> 0).toString(16);

test("a dot is where its point is, in its colour, and the nearer one is on top", () => {
  for (const dimensions of [2, 3] as const) {
    const view = makeView(homeCamera(bounds), bounds, viewport, dimensions);
    const pixels = white();
    splat(pixels, view, 1, { ...dots, places: three, end: 3 });
    const [x, y] = project(view, -0.5, 0.5, 0);
    expect(at(pixels, x, y)).toBe("ff0000ff");
    expect(at(pixels, x + 12, y)).toBe("ffffffff");
  }
  // Straight from the front, z comes towards the viewer.
  const front = makeView({ ...homeCamera(bounds), yaw: 0, pitch: 0 }, bounds, viewport, 3);
  const nearer = project(front, 0, 0, 0.4)[2] < project(front, 0, 0, -0.4)[2] ? 0 : 1;
  const pixels = white();
  splat(pixels, front, 1, { ...dots, places: Float32Array.of(0, 0, 0.4, 0, 0, -0.4), end: 2 });
  expect(at(pixels, 100, 80)).toBe(nearer === 0 ? "ff0000ff" : "ff00ff00");
});

test("points on their way are between where they were and where they will be", () => {
  const view = makeView(homeCamera(bounds), bounds, viewport, 2);
  const pixels = white();
  const [places, starts] = [Float32Array.of(1, 0, 0), Float32Array.of(-1, 0, 0)];
  splat(pixels, view, 1, { ...dots, places, starts, part: 0.5, end: 1 });
  expect(at(pixels, 100, 80)).toBe("ff0000ff");
});

test("points at the edge and behind the viewer harm nothing", () => {
  const view = makeView({ ...homeCamera(bounds), zoom: 40, x: -0.5, y: 0.5 }, bounds, viewport, 3);
  splat(white(), view, 2, { ...dots, places: three, radius: 20, end: 3 });
});

test("greyed rows come first, selected ones last, hidden ones and those without a place never", () => {
  const none = new Uint8Array(4);
  const order = drawOrder({ ...masks, greyed: none.with(0, 1), selected: none.with(1, 1) });
  expect([...order.rows]).toEqual([0, 3, 1]);
  expect([order.greyedEnd, order.selectedFrom]).toEqual([1, 2]);
  expect([...drawOrder({ ...masks, hidden: none.with(3, 1) }).rows].sort()).toEqual([0, 1]);
  expect(new Set(shuffledRows(1_000)).size).toBe(1_000);
  expect([...shuffledRows(1_000).subarray(0, 3)]).not.toEqual([0, 1, 2]);
});

test("the pointer finds the nearest point, an area those inside, a ball those in its space", () => {
  const view = makeView(homeCamera(bounds), bounds, viewport, 2);
  const order = drawOrder(masks);
  const points = { ...order, places: placesInOrder(positions, order.rows) };
  const [x, y] = project(view, -0.5, 0.5, 0);
  expect(nearestPoint(view, points, { x: x + 3, y }, 8)).toBe(0);
  expect(nearestPoint(view, points, { x: x + 30, y }, 8)).toBeNull();
  expect(nearestPoint(view, { ...points, greyedEnd: 3 }, { x, y }, 8)).toBeNull();
  const box = boxAround({ x: x + 5, y: y + 5 }, { x: x - 5, y: y - 5 });
  expect([...pointsInside(view, points, 4, box)]).toEqual([1, 0, 0, 0]);
  expect([...pointsInBall(points, 4, [0.5, -0.5, 0.4], 0.5)]).toEqual([0, 1, 0, 0]);
  expect(rowsInView(view, points, 2, 10)).toMatchObject({ seen: 3, rows: { length: 2 } });
});
