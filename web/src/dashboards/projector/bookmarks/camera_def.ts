// The camera of a bookmark in TensorBoard's space, where every axis goes from -1 to 1, and as the scene has it. Pure.

import { type Bounds, type Camera, type Dimensions, FIRST_PITCH, FIRST_YAW } from "../scene/camera";

export interface CameraDef {
  orthographic: boolean;
  position: number[];
  target: number[];
  zoom: number;
}

/** From where TensorBoard looks at points in 3-D at first: everything fits, as with our zoom of 1. */
const HOME_DISTANCE = Math.hypot(0.45, 0.9, 1.6);

export function writeCameraDef(camera: Camera, dimensions: Dimensions, { center, half }: Bounds): CameraDef {
  const [x = 0, y = 0, z = 0] = [camera.x, camera.y, camera.z].map(
    (at, axis) => (at - (center[axis] as number)) / (half[axis] || 1),
  );
  if (dimensions === 2) return { orthographic: true, position: [x, y, 1], target: [x, y, 0], zoom: camera.zoom };
  const distance = HOME_DISTANCE / camera.zoom;
  const { yaw, pitch } = camera;
  const position = [
    x + distance * Math.sin(yaw) * Math.cos(pitch),
    y + distance * Math.sin(pitch),
    z + distance * Math.cos(yaw) * Math.cos(pitch),
  ];
  return { orthographic: false, position, target: [x, y, z], zoom: 1 };
}

/** Null: it is none, or one of other dimensions. */
export function readCameraDef(
  def: CameraDef | undefined,
  dimensions: Dimensions,
  { center, half }: Bounds,
): Camera | null {
  if (!def || def.orthographic !== (dimensions === 2)) return null;
  if (!isPlace(def.position) || !isPlace(def.target) || !(def.zoom > 0 && Number.isFinite(def.zoom))) return null;
  const { target, position, zoom } = def;
  const [x = 0, y = 0, z = 0] = target.map((at, axis) => (center[axis] as number) + at * (half[axis] as number));
  if (dimensions === 2) return { x, y, z: center[2], zoom, yaw: FIRST_YAW, pitch: FIRST_PITCH };
  const [dx = 0, dy = 0, dz = 0] = position.map((at, axis) => at - (target[axis] as number));
  const distance = Math.hypot(dx, dy, dz);
  if (distance === 0) return null;
  return {
    x,
    y,
    z,
    zoom: (zoom * HOME_DISTANCE) / distance,
    yaw: Math.atan2(dx, dz),
    pitch: Math.asin(dy / distance),
  };
}

const isPlace = (place: unknown): boolean => Array.isArray(place) && place.length === 3 && place.every(Number.isFinite);
