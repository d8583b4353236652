import { expect, test } from "vitest";
import type { Bounds, Camera } from "../scene/camera";
import { type CameraDef, readCameraDef, writeCameraDef } from "./camera_def";

const bounds: Bounds = { center: [10, -5, 2], half: [4, 2, 1], radius: 4 };

const expectCamera = (read: Camera | null, camera: Camera): void => {
  for (const [name, value] of Object.entries(camera)) expect(read?.[name as keyof Camera], name).toBeCloseTo(value, 9);
};

test("a camera is the same after it was written and read", () => {
  const camera: Camera = { x: 12, y: -4, z: 2.5, zoom: 3, yaw: 2.4, pitch: -0.7 };
  expectCamera(readCameraDef(writeCameraDef(camera, 3, bounds), 3, bounds), camera);
  const flat = { ...camera, z: 2, yaw: -0.6, pitch: 0.35 };
  expectCamera(readCameraDef(writeCameraDef(flat, 2, bounds), 2, bounds), flat);
});

test("TensorBoard's first view is ours", () => {
  const first: CameraDef = { orthographic: false, position: [0.45, 0.9, 1.6], target: [0, 0, 0], zoom: 1 };
  const camera = readCameraDef(first, 3, bounds) as Camera;
  expectCamera(camera, {
    x: 10,
    y: -5,
    z: 2,
    zoom: 1,
    yaw: Math.atan2(0.45, 1.6),
    pitch: Math.asin(0.9 / Math.hypot(0.45, 0.9, 1.6)),
  });
});

test("what is no camera of these dimensions is none", () => {
  const def: CameraDef = { orthographic: true, position: [0, 0, 1], target: [0.5, 0, 0], zoom: 2 };
  expect(readCameraDef(def, 2, bounds)).toMatchObject({ x: 12, y: -5, zoom: 2 });
  for (const wrong of [
    undefined,
    { ...def, zoom: 0 },
    { ...def, target: [0, 0] },
    { ...def, position: [0, null, 1] },
    { ...def, orthographic: false },
  ])
    expect(readCameraDef(wrong as CameraDef | undefined, 2, bounds)).toBeNull();
  expect(readCameraDef({ ...def, orthographic: false, position: [0.5, 0, 0] }, 3, bounds)).toBeNull();
});
