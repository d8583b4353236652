// Draws points into an array of pixels without a graphics card: many times faster than a graphics card that the browser
// only simulates. Pure. The loops are plain, because each runs a million times for a frame.

import type { View } from "./camera";

/** Pixels as a canvas has them: 0xAABBGGRR, row by row. */
export interface Pixels {
  readonly data: Uint32Array;
  readonly width: number;
  readonly height: number;
}

/** Points in the order of drawing, which is how memory is read fastest. */
export interface Splat {
  /** Three numbers per point. */
  readonly places: Float32Array;
  /** Where points move from, and how much of that is done. */
  readonly starts: Float32Array | null;
  readonly part: number;
  readonly start: number;
  readonly end: number;
  /** 0xBBGGRR per point; null: all have `color`, which is 0xRRGGBB. */
  readonly colors: Uint32Array | null;
  readonly color: number;
  /** In pixels of the array. */
  readonly radius: number;
  readonly opacity: number;
  /** A ring of this width instead of a disc; 0: a disc. */
  readonly ring: number;
}

/** A dot drawn beforehand, for a quarter of a pixel in x and y: only the pixels that it covers. */
interface Stamp {
  /** Pixels from the middle to the edge. */
  readonly reach: number;
  readonly shifts: readonly {
    readonly dx: Int8Array;
    readonly dy: Int8Array;
    /** From the pixel in the middle, in an array as wide as this one. */
    readonly offsets: Int32Array;
    /** 0 to 256. */
    readonly opacities: Uint16Array;
  }[];
}

const PARTS = 4;
/** How much a dot may be beside the middle of its pixel. */
const ASIDE = 0.5 - 0.5 / PARTS;
const DEPTHS = 4096;
/** Points of so many depths have the same size. */
const ALIKE = 64;
const FARTHEST = 0.5;

const stamps = new Map<string, Stamp>();

export function stampOf(radius: number, ring: number, width: number): Stamp {
  const key = `${radius} ${ring} ${width}`;
  const known = stamps.get(key);
  if (known) return known;
  const reach = Math.max(Math.ceil(radius + ring / 2 + 0.5 + ASIDE) - 1, 0);
  const shifts = Array.from({ length: PARTS * PARTS }, (_, shift) => {
    const asideX = ((shift % PARTS) + 0.5) / PARTS - 0.5;
    const asideY = (Math.floor(shift / PARTS) + 0.5) / PARTS - 0.5;
    const found: { dx: number; dy: number; opacity: number }[] = [];
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++) {
        const far = Math.hypot(dx - asideX, dy - asideY);
        const inside = ring ? ring / 2 + 0.5 - Math.abs(far - radius) : radius + 0.5 - far;
        // A dot smaller than a pixel is fainter instead.
        const opacity = Math.round(256 * Math.min(Math.max(inside, 0), ring || radius >= 0.5 ? 1 : radius * 2));
        if (opacity > 3) found.push({ dx, dy, opacity });
      }
    return {
      dx: Int8Array.from(found, ({ dx }) => dx),
      dy: Int8Array.from(found, ({ dy }) => dy),
      offsets: Int32Array.from(found, ({ dx, dy }) => dy * width + dx),
      opacities: Uint16Array.from(found, ({ opacity }) => opacity),
    };
  });
  const stamp = { reach, shifts };
  if (stamps.size > 300) stamps.clear();
  stamps.set(key, stamp);
  return stamp;
}

const quantized = (radius: number): number => Math.max(Math.round(radius * 4) / 4, 0.25);
/** From 0xRRGGBB to the order of bytes that a canvas has, or back. */
export const swapped = (rgb: number): number => ((rgb & 0xff) << 16) | (rgb & 0xff00) | ((rgb >> 16) & 0xff);

let xs = new Float32Array();
let ys = new Float32Array();
let depths = new Uint16Array();
let numbers = new Uint32Array();
let sorted = new Uint32Array();

/** In 3-D, from far to near; far points are fainter. `scale`: pixels of the array per pixel of the view. */
export function splat(pixels: Pixels, view: View, scale: number, points: Splat): void {
  const count = points.end - points.start;
  if (count <= 0) return;
  if (xs.length < count) {
    xs = new Float32Array(count);
    ys = new Float32Array(count);
    depths = new Uint16Array(count);
    numbers = new Uint32Array(count);
    sorted = new Uint32Array(count);
  }
  if (view.dimensions === 2) {
    const drawn = projectAll(pixels, view, scale, points, null);
    const stamp = stampOf(quantized(points.radius), points.ring, pixels.width);
    const opacity = Math.round(256 * points.opacity);
    const color = swapped(points.color);
    const { colors } = points;
    for (let i = 0; i < drawn; i++)
      dot(
        pixels,
        stamp,
        opacity,
        xs[i] as number,
        ys[i] as number,
        colors ? (colors[numbers[i] as number] as number) : color,
      );
  } else drawDeep(pixels, view, scale, points);
}

const nearestOf = (view: View): number => view.distance * 0.02;
const perDepth = (view: View): number => (DEPTHS - 1) / Math.log((view.distance * 3) / nearestOf(view));

function drawDeep(pixels: Pixels, view: View, scale: number, points: Splat): void {
  const counts = new Uint32Array(DEPTHS + 1);
  const drawn = projectAll(pixels, view, scale, points, counts);
  for (let depth = 0; depth < DEPTHS; depth++)
    counts[depth + 1] = (counts[depth + 1] as number) + (counts[depth] as number);
  for (let i = 0; i < drawn; i++) {
    const depth = depths[i] as number;
    const to = counts[depth] as number;
    counts[depth] = to + 1;
    sorted[to] = i;
  }
  const [near, per] = [nearestOf(view), perDepth(view)];
  const color = swapped(points.color);
  const { colors } = points;
  let step = -1;
  let stamp = stampOf(1, 0, pixels.width);
  let opacity = 0;
  for (let k = 0; k < drawn; k++) {
    const i = sorted[k] as number;
    const depthStep = ((depths[i] as number) / ALIKE) | 0;
    if (depthStep !== step) {
      step = depthStep;
      const depth = near * Math.exp((DEPTHS - 1 - (step + 0.5) * ALIKE) / per);
      stamp = stampOf(quantized(sizeAt(points.radius, view.distance, depth)), points.ring, pixels.width);
      opacity = Math.round(256 * points.opacity * fog(view.distance, depth));
    }
    dot(
      pixels,
      stamp,
      opacity,
      xs[i] as number,
      ys[i] as number,
      colors ? (colors[numbers[i] as number] as number) : color,
    );
  }
}

/** Fills `xs`, `ys` and `numbers` with the points that are on the screen, and `depths` where they are counted. */
function projectAll(
  { width, height }: Pixels,
  view: View,
  scale: number,
  { places, starts, part, start, end }: Splat,
  counts: Uint32Array | null,
): number {
  const m = view.matrix;
  const x0 = (m[0] as number) * scale;
  const x1 = (m[1] as number) * scale;
  const x2 = (m[2] as number) * scale;
  const x3 = (m[3] as number) * scale;
  const y0 = (m[4] as number) * scale;
  const y1 = (m[5] as number) * scale;
  const y2 = (m[6] as number) * scale;
  const y3 = (m[7] as number) * scale;
  const w0 = m[8] as number;
  const w1 = m[9] as number;
  const w2 = m[10] as number;
  const w3 = m[11] as number;
  const near = nearestOf(view);
  const far = view.distance * 3;
  const per = perDepth(view);
  const top = DEPTHS - 1;
  const [toX, toY, toNumber, toDepth] = [xs, ys, numbers, depths];
  const right = width + 8;
  const bottom = height + 8;
  let drawn = 0;
  for (let i = start, at = 3 * start; i < end; i++, at += 3) {
    let x = places[at] as number;
    let y = places[at + 1] as number;
    let z = places[at + 2] as number;
    if (starts !== null) {
      x = (starts[at] as number) + (x - (starts[at] as number)) * part;
      y = (starts[at + 1] as number) + (y - (starts[at + 1] as number)) * part;
      z = (starts[at + 2] as number) + (z - (starts[at + 2] as number)) * part;
    }
    let px = x0 * x + x1 * y + x2 * z + x3;
    let py = y0 * x + y1 * y + y2 * z + y3;
    if (counts !== null) {
      const w = w0 * x + w1 * y + w2 * z + w3;
      if (w <= near) continue;
      px /= w;
      py /= w;
      if (px < -8 || py < -8 || px > right || py > bottom) continue;
      const depth = (top - per * Math.log((w < far ? w : far) / near)) | 0;
      toDepth[drawn] = depth;
      counts[depth + 1] = (counts[depth + 1] as number) + 1;
    } else if (px < -8 || py < -8 || px > right || py > bottom) continue;
    toX[drawn] = px;
    toY[drawn] = py;
    toNumber[drawn] = i;
    drawn++;
  }
  return drawn;
}

/** `color`: 0xBBGGRR. */
function dot({ data, width, height }: Pixels, stamp: Stamp, most: number, x: number, y: number, color: number): void {
  const reach = stamp.reach;
  const px = Math.floor(x);
  const py = Math.floor(y);
  const shift = stamp.shifts[(((x - px) * PARTS) | 0) + PARTS * (((y - py) * PARTS) | 0)] as Stamp["shifts"][number];
  const { opacities, offsets } = shift;
  const redBlue = color & 0xff00ff;
  const green = color & 0xff00;
  const middle = py * width + px;
  const isInside = px >= reach && py >= reach && px < width - reach && py < height - reach;
  for (let k = 0; k < offsets.length; k++) {
    if (!isInside) {
      const u = px + (shift.dx[k] as number);
      const v = py + (shift.dy[k] as number);
      if (u < 0 || v < 0 || u >= width || v >= height) continue;
    }
    const p = middle + (offsets[k] as number);
    const a = ((opacities[k] as number) * most) >> 8;
    const rest = 256 - a;
    const old = data[p] as number;
    data[p] =
      (((Math.imul(redBlue, a) + Math.imul(old & 0xff00ff, rest)) >>> 8) & 0xff00ff) |
      (((Math.imul(green, a) + Math.imul(old & 0xff00, rest)) >>> 8) & 0xff00) |
      0xff000000;
  }
}

/** Nearer points are larger, within reason. */
export const sizeAt = (radius: number, distance: number, depth: number): number =>
  radius * Math.min(Math.max(distance / depth, 0.5), 4);

/** What is far away is fainter. */
export const fog = (distance: number, depth: number): number =>
  Math.min(Math.max(1.45 - 0.5 * (depth / distance) ** 2, FARTHEST), 1);
