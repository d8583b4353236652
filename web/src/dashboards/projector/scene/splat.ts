// Draws points into an array of pixels without a graphics card: many times faster than a graphics card that the browser
// only simulates. Pure.

import type { View } from "./camera";

/** Pixels as a canvas has them: 0xAABBGGRR, row by row. */
export interface Pixels {
  readonly data: Uint32Array;
  readonly width: number;
  readonly height: number;
}

export interface Splat {
  readonly positions: Float32Array;
  readonly from: Float32Array | null;
  readonly part: number;
  readonly rows: Uint32Array;
  readonly start: number;
  readonly end: number;
  /** 0xRRGGBB per row; null: all have `color`. */
  readonly colors: Uint32Array | null;
  readonly color: number;
  /** In pixels of the array. */
  readonly radius: number;
  readonly opacity: number;
  /** A ring of this width instead of a disc; 0: a disc. */
  readonly ring: number;
}

// A dot covers pixels in part: drawn beforehand for a quarter of a pixel in x and y.
const PARTS = 4;
const LEVELS = 4096;
const FARTHEST = 0.5;

interface Stamp {
  /** Pixels from the middle to the edge. */
  readonly reach: number;
  /** For each of the 16 shifts, the opacity of each pixel, 0 to 256. */
  readonly shifts: readonly Uint16Array[];
}

const stamps = new Map<string, Stamp>();

export function stampOf(radius: number, ring: number): Stamp {
  const key = `${radius} ${ring}`;
  let stamp = stamps.get(key);
  if (stamp) return stamp;
  const reach = Math.ceil(radius + ring / 2 + 0.5);
  const size = 2 * reach + 1;
  const shifts = Array.from({ length: PARTS * PARTS }, (_, shift) => {
    const [dx, dy] = [((shift % PARTS) + 0.5) / PARTS - 0.5, (Math.floor(shift / PARTS) + 0.5) / PARTS - 0.5];
    return Uint16Array.from({ length: size * size }, (_, i) => {
      const far = Math.hypot((i % size) - reach - dx, Math.floor(i / size) - reach - dy);
      const inside = ring ? ring / 2 + 0.5 - Math.abs(far - radius) : radius + 0.5 - far;
      // A dot smaller than a pixel is fainter instead.
      const most = ring || radius >= 0.5 ? 1 : radius * 2;
      return Math.round(256 * Math.min(Math.max(inside, 0), most));
    });
  });
  if (stamps.size > 200) stamps.clear();
  stamps.set(key, (stamp = { reach, shifts }));
  return stamp;
}

const quantized = (radius: number): number => Math.max(Math.round(radius * 4) / 4, 0.25);
const swapped = (rgb: number): number => ((rgb & 0xff) << 16) | (rgb & 0xff00) | ((rgb >> 16) & 0xff);

let xs = new Float32Array();
let ys = new Float32Array();
let depths = new Uint16Array();
let sorted = new Uint32Array();

/** In 3-D, from far to near; far points are fainter. `scale`: pixels of the array per pixel of the view. */
export function splat(pixels: Pixels, view: View, scale: number, points: Splat): void {
  const { positions, from, part, rows, start, end, colors, radius, opacity, ring } = points;
  const count = end - start;
  if (count <= 0) return;
  if (xs.length < count) {
    [xs, ys] = [new Float32Array(count), new Float32Array(count)];
    [depths, sorted] = [new Uint16Array(count), new Uint32Array(count)];
  }
  const m = view.matrix;
  const [m0, m1, m2, m3] = [m[0] as number, m[1] as number, m[2] as number, m[3] as number];
  const [m4, m5, m6, m7] = [m[4] as number, m[5] as number, m[6] as number, m[7] as number];
  const [m8, m9, m10, m11] = [m[8] as number, m[9] as number, m[10] as number, m[11] as number];
  const is3d = view.dimensions === 3;
  const { width, height, data } = pixels;
  const [near, far] = [view.distance * 0.02, view.distance * 3];
  const perLevel = (LEVELS - 1) / Math.log(far / near);
  const starts = is3d ? new Uint32Array(LEVELS + 1) : null;
  let drawn = 0;
  for (let i = start; i < end; i++) {
    const at = 3 * (rows[i] as number);
    let x = positions[at] as number;
    let y = positions[at + 1] as number;
    let z = positions[at + 2] as number;
    if (from) {
      const fx = from[at] as number;
      if (fx === fx) {
        x = fx + (x - fx) * part;
        y = (from[at + 1] as number) + (y - (from[at + 1] as number)) * part;
        z = (from[at + 2] as number) + (z - (from[at + 2] as number)) * part;
      }
    }
    const w = m8 * x + m9 * y + m10 * z + m11;
    if (w <= near * (is3d ? 1 : 0)) continue;
    const sx = ((m0 * x + m1 * y + m2 * z + m3) / w) * scale;
    const sy = ((m4 * x + m5 * y + m6 * z + m7) / w) * scale;
    if (!(sx > -16 && sy > -16 && sx < width + 16 && sy < height + 16)) continue;
    xs[drawn] = sx;
    ys[drawn] = sy;
    if (starts) {
      // The farthest level is the first.
      const level = (LEVELS - 1 - perLevel * Math.log(Math.min(w, far) / near)) | 0;
      depths[drawn] = level;
      starts[level + 1] = (starts[level + 1] as number) + 1;
    }
    sorted[drawn++] = i;
  }

  const rgb = swapped(points.color);
  const dot = (i: number, row: number, stamp: Stamp, most: number): void => {
    const { reach, shifts } = stamp;
    const [x, y] = [xs[i] as number, ys[i] as number];
    const [px, py] = [Math.floor(x), Math.floor(y)];
    const shift = Math.floor((x - px) * PARTS) + PARTS * Math.floor((y - py) * PARTS);
    const opacities = shifts[shift] as Uint16Array;
    const size = 2 * reach + 1;
    const color = colors ? swapped(colors[row] as number) : rgb;
    const [redBlue, green] = [color & 0xff00ff, color & 0xff00];
    const [left, right] = [Math.max(px - reach, 0), Math.min(px + reach, width - 1)];
    const [top, bottom] = [Math.max(py - reach, 0), Math.min(py + reach, height - 1)];
    for (let v = top; v <= bottom; v++) {
      let k = (v - py + reach) * size + left - px + reach;
      let p = v * width + left;
      for (let u = left; u <= right; u++, k++, p++) {
        const a = ((opacities[k] as number) * most) >> 8;
        if (a === 0) continue;
        const old = data[p] as number;
        const rest = 256 - a;
        data[p] =
          (((Math.imul(redBlue, a) + Math.imul(old & 0xff00ff, rest)) >>> 8) & 0xff00ff) |
          (((Math.imul(green, a) + Math.imul(old & 0xff00, rest)) >>> 8) & 0xff00) |
          0xff000000;
      }
    }
  };
  if (!starts) {
    const stamp = stampOf(quantized(radius), ring);
    const most = Math.round(256 * opacity);
    for (let i = 0; i < drawn; i++) dot(i, rows[sorted[i] as number] as number, stamp, most);
    return;
  }

  for (let level = 0; level < LEVELS; level++)
    starts[level + 1] = (starts[level + 1] as number) + (starts[level] as number);
  const places = order(drawn, starts);
  const stampAt: (Stamp | undefined)[] = [];
  for (let k = 0; k < drawn; k++) {
    const i = places[k] as number;
    const level = depths[i] as number;
    // All points of 64 levels have the same size.
    const step = level >> 6;
    const depth = near * Math.exp((LEVELS - 1 - ((step << 6) + 32)) / perLevel);
    const stamp = (stampAt[step] ??= stampOf(quantized(sizeAt(radius, view.distance, depth)), ring));
    const most = Math.round(256 * opacity * fog(view.distance, depth));
    dot(i, rows[sorted[i] as number] as number, stamp, most);
  }
}

let placesOf = new Uint32Array();

/** Numbers of the points that were projected, from far to near. */
function order(drawn: number, starts: Uint32Array): Uint32Array {
  if (placesOf.length < drawn) placesOf = new Uint32Array(xs.length);
  for (let i = 0; i < drawn; i++) {
    const level = depths[i] as number;
    const to = starts[level] as number;
    starts[level] = to + 1;
    placesOf[to] = i;
  }
  return placesOf;
}

/** Nearer points are larger, within reason. */
export const sizeAt = (radius: number, distance: number, depth: number): number =>
  radius * Math.min(Math.max(distance / depth, 0.5), 4);

/** What is far away is fainter. */
export const fog = (distance: number, depth: number): number =>
  Math.min(Math.max(1.45 - 0.5 * (depth / distance) ** 2, FARTHEST), 1);
