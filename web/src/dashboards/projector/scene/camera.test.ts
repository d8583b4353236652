import { expect, test } from "vitest";
import {
  boundsOf,
  fitCamera,
  homeCamera,
  makeView,
  mixCameras,
  NO_BOUNDS,
  orbit,
  pan,
  project,
  unproject,
  zoomAt,
} from "./camera";

const viewport = { widthPx: 800, heightPx: 600 };
const corners = Float32Array.of(-1, -2, -3, 3, 2, 1, 1, 0, -1);
const bounds = boundsOf(corners);

test("home shows every point, in 2-D and in 3-D", () => {
  for (const dimensions of [2, 3] as const) {
    const view = makeView(homeCamera(bounds), bounds, viewport, dimensions);
    for (let row = 0; row < 3; row++) {
      const [x, y, depth] = project(
        view,
        ...(corners.slice(3 * row, 3 * row + 3) as unknown as [number, number, number]),
      );
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(800);
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(600);
      expect(depth).toBeGreaterThan(0);
    }
  }
});

test("y grows upwards, and pixels lead back to where they came from", () => {
  const view = makeView(homeCamera(bounds), bounds, viewport, 2);
  expect(project(view, 0, 1, 0)[1]).toBeLessThan(project(view, 0, 0, 0)[1]);
  const [x, y] = project(view, 0.5, 1.5, 0);
  expect(unproject(view, x, y)[0]).toBeCloseTo(0.5);
  expect(unproject(view, x, y)[1]).toBeCloseTo(1.5);
});

test("a pan moves what is in the middle, a zoom keeps what is under the pointer", () => {
  for (const dimensions of [2, 3] as const) {
    const view = makeView(homeCamera(bounds), bounds, viewport, dimensions);
    const middle = [view.camera.x, view.camera.y, dimensions === 3 ? view.camera.z : 0] as const;
    const moved = makeView(pan(view, 30, -20), bounds, viewport, dimensions);
    expect(
      project(moved, ...middle)
        .slice(0, 2)
        .map(Math.round),
    ).toEqual([430, 280]);
    const under = unproject(view, 200, 150);
    const zoomed = makeView(zoomAt(view, 200, 150, 3), bounds, viewport, dimensions);
    expect(zoomed.camera.zoom).toBeCloseTo(3);
    expect(project(zoomed, ...under)[0]).toBeCloseTo(200);
    expect(project(zoomed, ...under)[1]).toBeCloseTo(150);
  }
});

test("an orbit goes over no pole, and cameras turn the shorter way", () => {
  const camera = homeCamera(bounds);
  expect(orbit(camera, 0, 1e6).pitch).toBeCloseTo(Math.PI / 2);
  const half = mixCameras({ ...camera, yaw: 3 }, { ...camera, yaw: -3, zoom: 4 }, 0.5);
  expect(Math.abs(half.yaw)).toBeCloseTo(Math.PI);
  expect(half.zoom).toBeCloseTo(2);
});

test("few points far away do not make the others small, but some rows fit as they are", () => {
  const rows = 5_000;
  const positions = new Float32Array(3 * rows);
  for (let i = 0; i < rows; i++) positions.set([Math.sin(i), Math.cos(i), 0], 3 * i);
  positions[0] = 1_000;
  expect(boundsOf(positions).half[0]).toBeLessThan(1.2);
  expect(boundsOf(positions, [0, 1]).half[0]).toBeGreaterThan(400);
  const camera = fitCamera(homeCamera(bounds), boundsOf(corners, [2]), bounds, viewport, 2);
  expect([camera.x, camera.y]).toEqual([1, 0]);
  expect(boundsOf(Float32Array.of(NaN, NaN, NaN))).toBe(NO_BOUNDS);
});
