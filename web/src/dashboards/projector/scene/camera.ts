// Where the viewer of a projection stands, and which pixel shows which point. Pure; knows nothing of drawing.

/** All in the units of the positions. In 2-D, `z` and the angles mean nothing. */
export interface Camera {
  /** What is in the middle. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** 1: all points fit. */
  readonly zoom: number;
  readonly yaw: number;
  readonly pitch: number;
}

export interface Viewport {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** What has to fit: the middle, half the size along each axis, and the radius of a ball around it. */
export interface Bounds {
  readonly center: readonly [number, number, number];
  readonly half: readonly [number, number, number];
  readonly radius: number;
}

export type Dimensions = 2 | 3;

/** A camera in a viewport. `matrix`: rows of px·w, py·w and w from x, y, z, 1. */
export interface View extends Viewport {
  readonly dimensions: Dimensions;
  readonly camera: Camera;
  readonly matrix: Float64Array;
  /** Pixels per unit, at the camera's target. */
  readonly scale: number;
  /** From the eye to the target; points this far away have their normal size. */
  readonly distance: number;
}

const MARGIN_PX = 44;
const HALF_ANGLE = Math.tan((18 * Math.PI) / 180);
const MIN_ZOOM = 0.05;
const MAX_ZOOM = 20_000;
/** So that a cloud of equal points has a size. */
const LEAST_SIZE = 1e-9;
export const FIRST_YAW = -0.6;
export const FIRST_PITCH = 0.35;

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

export const NO_BOUNDS: Bounds = { center: [0, 0, 0], half: [1, 1, 1], radius: 1 };

export const homeCamera = ({ center: [x, y, z] }: Bounds): Camera => ({
  x,
  y,
  z,
  zoom: 1,
  yaw: FIRST_YAW,
  pitch: FIRST_PITCH,
});

const SAMPLE = 20_000;
/** Of many points, so many at each end of an axis may be outside at first, if that makes room for the others. */
const OUTSIDE = 0.001;
const MANY = 1_000;
const WORTH = 0.8;

/** Of the points that are placed: rows of three, NaN where a row has no place. `rows`: only these, all of them. */
export function boundsOf(positions: Float32Array, rows: ArrayLike<number> | null = null): Bounds {
  const count = rows ? rows.length : positions.length / 3;
  const ranges = [0, 1, 2].map((axis): readonly [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < count; i++) {
      const value = positions[3 * (rows ? (rows[i] as number) : i) + axis] as number;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return rows || count < MANY ? [low, high] : withoutFew(positions, axis, low, high);
  });
  if (!((ranges[0]?.[0] as number) < Infinity)) return NO_BOUNDS;
  const of = (make: (low: number, high: number) => number): [number, number, number] =>
    ranges.map(([low, high]) => make(low, high)) as [number, number, number];
  const center = of((a, b) => (a + b) / 2);
  const half = of((a, b) => Math.max((b - a) / 2, LEAST_SIZE));
  // Corners of the box are empty: a ball around most of it is enough.
  const radius = Math.max(...half, 0.8 * Math.hypot(...half));
  return { center, half, radius };
}

/** Few points far away would make all others small. */
function withoutFew(positions: Float32Array, axis: number, low: number, high: number): readonly [number, number] {
  const rows = positions.length / 3;
  const step = Math.max(rows / SAMPLE, 1);
  const values = new Float32Array(Math.floor(rows / step));
  let size = 0;
  for (let i = 0; i < values.length; i++) {
    const value = positions[3 * Math.floor(i * step) + axis] as number;
    if (value === value) values[size++] = value;
  }
  const sorted = values.subarray(0, size).sort();
  const from = sorted[Math.floor(size * OUTSIDE)] ?? low;
  const to = sorted[Math.ceil(size * (1 - OUTSIDE)) - 1] ?? high;
  const edge = (to - from) * 0.04;
  return to - from < WORTH * (high - low) ? [from - edge, to + edge] : [low, high];
}

const fitScale = ({ half }: Bounds, { widthPx, heightPx }: Viewport): number =>
  Math.min(
    Math.max(widthPx - 2 * MARGIN_PX, 40) / (2 * half[0]),
    Math.max(heightPx - 2 * MARGIN_PX, 40) / (2 * half[1]),
  );

export function makeView(camera: Camera, bounds: Bounds, viewport: Viewport, dimensions: Dimensions): View {
  const { widthPx, heightPx } = viewport;
  const [cx, cy] = [widthPx / 2, heightPx / 2];
  const { x, y, z, zoom } = camera;
  if (dimensions === 2) {
    const scale = fitScale(bounds, viewport) * zoom;
    const matrix = Float64Array.of(scale, 0, 0, cx - x * scale, 0, -scale, 0, cy + y * scale, 0, 0, 0, 1);
    return { ...viewport, dimensions, camera, matrix, scale, distance: 1 };
  }
  const focalPx = Math.min(widthPx, heightPx) / 2 / HALF_ANGLE;
  const distance = ((bounds.radius / HALF_ANGLE) * 1.04) / zoom;
  const [right, up, forward] = axesOf(camera);
  const along = (axis: Vector): number => -(axis[0] * x + axis[1] * y + axis[2] * z);
  const depth = along(forward) + distance;
  const matrix = new Float64Array(12);
  for (let i = 0; i < 3; i++) {
    const f = forward[i] as number;
    matrix[i] = focalPx * (right[i] as number) + cx * f;
    matrix[4 + i] = -focalPx * (up[i] as number) + cy * f;
    matrix[8 + i] = f;
  }
  matrix[3] = focalPx * along(right) + cx * depth;
  matrix[7] = -focalPx * along(up) + cy * depth;
  matrix[11] = depth;
  return { ...viewport, dimensions, camera, matrix, scale: focalPx / distance, distance };
}

export type Vector = readonly [number, number, number];

/** To the right, up, and away from the viewer, as seen on the screen. */
export function axesOf({ yaw, pitch }: Camera): readonly [Vector, Vector, Vector] {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return [
    [cy, 0, -sy],
    [-sy * sp, cp, -cy * sp],
    [-sy * cp, -sp, -cy * cp],
  ];
}

/** Pixels, and how far from the eye; behind the eye, it is negative. */
export function project(
  { matrix: m }: View,
  x: number,
  y: number,
  z: number,
): [xPx: number, yPx: number, depth: number] {
  const w = (m[8] as number) * x + (m[9] as number) * y + (m[10] as number) * z + (m[11] as number);
  return [
    ((m[0] as number) * x + (m[1] as number) * y + (m[2] as number) * z + (m[3] as number)) / w,
    ((m[4] as number) * x + (m[5] as number) * y + (m[6] as number) * z + (m[7] as number)) / w,
    w,
  ];
}

/** The target's plane at these pixels. */
export function unproject(view: View, xPx: number, yPx: number): Vector {
  const { camera, scale, widthPx, heightPx } = view;
  const [dx, dy] = [(xPx - widthPx / 2) / scale, (heightPx / 2 - yPx) / scale];
  if (view.dimensions === 2) return [camera.x + dx, camera.y + dy, 0];
  const [right, up] = axesOf(camera);
  return [
    camera.x + dx * right[0] + dy * up[0],
    camera.y + dx * right[1] + dy * up[1],
    camera.z + dx * right[2] + dy * up[2],
  ];
}

/** What was in the middle moves by so many pixels. */
export function pan(view: View, dxPx: number, dyPx: number): Camera {
  const [x, y, z] = unproject(view, view.widthPx / 2 - dxPx, view.heightPx / 2 - dyPx);
  return { ...view.camera, x, y, z: view.dimensions === 2 ? view.camera.z : z };
}

/** What is at these pixels stays there. */
export function zoomAt(view: View, xPx: number, yPx: number, factor: number): Camera {
  const { camera } = view;
  const zoom = clamp(camera.zoom * factor, MIN_ZOOM, MAX_ZOOM);
  const part = 1 - camera.zoom / zoom;
  const [x, y, z] = unproject(view, xPx, yPx);
  return {
    ...camera,
    zoom,
    x: camera.x + (x - camera.x) * part,
    y: camera.y + (y - camera.y) * part,
    z: view.dimensions === 2 ? camera.z : camera.z + (z - camera.z) * part,
  };
}

const TURN_PER_PX = 0.0075;

export const orbit = (camera: Camera, dxPx: number, dyPx: number): Camera => ({
  ...camera,
  yaw: (camera.yaw - dxPx * TURN_PER_PX) % (2 * Math.PI),
  pitch: clamp(camera.pitch + dyPx * TURN_PER_PX, -Math.PI / 2, Math.PI / 2),
});

/** The camera that shows `inner` where home shows `bounds`. */
export function fitCamera(
  camera: Camera,
  inner: Bounds,
  bounds: Bounds,
  viewport: Viewport,
  dimensions: Dimensions,
): Camera {
  const [x, y, z] = inner.center;
  const zoom = dimensions === 2 ? fitScale(inner, viewport) / fitScale(bounds, viewport) : bounds.radius / inner.radius;
  // One point alone shows what is around it.
  return { ...camera, x, y, z, zoom: clamp(zoom, MIN_ZOOM, 24) };
}

export function mixCameras(from: Camera, to: Camera, part: number): Camera {
  const mix = (a: number, b: number): number => a + (b - a) * part;
  // The shorter way round.
  const turn = Math.round((from.yaw - to.yaw) / (2 * Math.PI)) * 2 * Math.PI;
  return {
    x: mix(from.x, to.x),
    y: mix(from.y, to.y),
    z: mix(from.z, to.z),
    zoom: from.zoom * (to.zoom / from.zoom) ** part,
    yaw: mix(from.yaw, to.yaw + turn),
    pitch: mix(from.pitch, to.pitch),
  };
}
