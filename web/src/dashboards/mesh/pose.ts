// Camera poses: angles, zoom and shift in units of the target sphere, so that one pose fits meshes of any size. Pure;
// knows no renderer.

export type Vector = readonly [number, number, number];
export type Up = "y" | "z";

export interface Sphere {
  readonly center: Vector;
  readonly radius: number;
}

export interface Pose {
  /** Radians around the up axis; 0 looks from the front. */
  readonly yaw: number;
  /** Radians above the horizon. */
  readonly pitch: number;
  /** 1: the whole sphere fits. */
  readonly zoom: number;
  /** From the center of the sphere to the camera target, in radii. */
  readonly shift: Vector;
}

export interface CameraView {
  readonly eye: Vector;
  readonly target: Vector;
  readonly up: Vector;
  readonly distance: number;
}

export const FIRST_POSE: Pose = { yaw: 0.6, pitch: 0.35, zoom: 1, shift: [0, 0, 0] };
const STEEPEST = Math.PI / 2 - 0.001;
const ZOOMS = [0.02, 500] as const;
const FARTHEST_SHIFT = 1_000;
const MARGIN = 1.06;

const add = (a: Vector, b: Vector, times = 1): Vector => [
  a[0] + b[0] * times,
  a[1] + b[1] * times,
  a[2] + b[2] * times,
];
const length = (a: Vector): number => Math.hypot(...a);
const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** From the target to the camera, to the right, and up on the screen. */
function axesOf({ yaw, pitch }: Pose, up: Up): { away: Vector; right: Vector; above: Vector } {
  const [sinYaw, cosYaw, sinPitch, cosPitch] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
  const turn = ([x, y, z]: Vector): Vector => (up === "y" ? [x, y, z] : [x, -z, y]);
  return {
    away: turn([sinYaw * cosPitch, sinPitch, cosYaw * cosPitch]),
    right: turn([cosYaw, 0, -sinYaw]),
    above: turn([-sinYaw * sinPitch, cosPitch, -cosYaw * sinPitch]),
  };
}

/** Directions of the mesh's axes on the screen: right, up and toward the camera; the farthest first. */
export function axesOnScreen(
  pose: Pose,
  up: Up,
): { readonly name: "x" | "y" | "z"; readonly right: number; readonly above: number; readonly toward: number }[] {
  const { away, right, above } = axesOf(pose, up);
  return (["x", "y", "z"] as const)
    .map((name, axis) => ({
      name,
      right: right[axis] as number,
      above: above[axis] as number,
      toward: away[axis] as number,
    }))
    .sort((a, b) => a.toward - b.toward);
}

/** The distance at which the sphere fits: `fov` in degrees from top to bottom, `aspect` is width over height. */
function fitDistance(radius: number, fov: number, aspect: number): number {
  const half = (fov * Math.PI) / 360;
  const narrower = aspect < 1 ? Math.atan(Math.tan(half) * aspect) : half;
  return (radius * MARGIN) / Math.sin(narrower);
}

export function cameraViewOf(pose: Pose, targetSphere: Sphere, up: Up, fov: number, aspect: number): CameraView {
  const { away, above } = axesOf(pose, up);
  const distance = fitDistance(targetSphere.radius, fov, aspect) / pose.zoom;
  const target = add(targetSphere.center, pose.shift, targetSphere.radius);
  return { eye: add(target, away, distance), target, up: above, distance };
}

/** From a camera's position and target. */
export function poseAt(eye: Vector, target: Vector, targetSphere: Sphere, up: Up, fov: number, aspect: number): Pose {
  const back = add(eye, target, -1);
  const distance = length(back);
  if (!(distance > 0)) return FIRST_POSE;
  const [x, y, z] = up === "y" ? back : ([back[0], back[2], -back[1]] as const);
  const shift = add(target, targetSphere.center, -1);
  return tidy({
    yaw: Math.atan2(x, z),
    pitch: Math.asin(clamp(y / distance, -1, 1)),
    zoom: fitDistance(targetSphere.radius, fov, aspect) / distance,
    shift: [shift[0] / targetSphere.radius, shift[1] / targetSphere.radius, shift[2] / targetSphere.radius],
  });
}

export const turned = (pose: Pose, yaw: number, pitch: number): Pose =>
  tidy({ ...pose, yaw: pose.yaw + yaw, pitch: pose.pitch + pitch });
export const zoomed = (pose: Pose, factor: number): Pose => tidy({ ...pose, zoom: pose.zoom * factor });

/** Moves the target along the screen, in fractions of its height. */
export function panned(pose: Pose, x: number, y: number, up: Up, fov: number, aspect: number): Pose {
  const { right, above } = axesOf(pose, up);
  const heightInRadii = (2 * Math.tan((fov * Math.PI) / 360) * fitDistance(1, fov, aspect)) / pose.zoom;
  return tidy({ ...pose, shift: add(add(pose.shift, right, -x * heightInRadii), above, y * heightInRadii) });
}

function tidy({ yaw, pitch, zoom, shift }: Pose): Pose {
  return {
    yaw: Math.atan2(Math.sin(yaw), Math.cos(yaw)),
    pitch: clamp(pitch, -STEEPEST, STEEPEST),
    zoom: clamp(zoom, ...ZOOMS),
    shift: shift.map((each) => clamp(each, -FARTHEST_SHIFT, FARTHEST_SHIFT)) as unknown as Vector,
  };
}

const round = (value: number): number => Number(value.toPrecision(5));

/** For the address: `yaw,pitch,zoom,x,y,z`. */
export const writePose = ({ yaw, pitch, zoom, shift }: Pose): string =>
  [yaw, pitch, zoom, ...shift].map(round).join(",");

export function readPose(written: string): Pose | null {
  const numbers = written.split(",").map(Number);
  if (numbers.length !== 6 || !numbers.every(Number.isFinite) || written === "") return null;
  const [yaw, pitch, zoom, x, y, z] = numbers as [number, number, number, number, number, number];
  return tidy({ yaw, pitch, zoom, shift: [x, y, z] });
}

/** The smallest sphere around a box that holds all of them. Null without any. */
export function unite(spheres: Iterable<Sphere>): Sphere | null {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const all = [...spheres];
  const [only] = all;
  if (!only) return null;
  if (all.length === 1) return only;
  for (const { center, radius } of all) {
    center.forEach((value, axis) => {
      low[axis] = Math.min(low[axis] as number, value - radius);
      high[axis] = Math.max(high[axis] as number, value + radius);
    });
  }
  const center = low.map((value, axis) => (value + (high[axis] as number)) / 2) as unknown as Vector;
  return { center, radius: Math.max(...all.map((each) => length(add(each.center, center, -1)) + each.radius)) };
}
