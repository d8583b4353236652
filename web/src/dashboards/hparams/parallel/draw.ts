// Draws the lines of parallel coordinates: a few thousand segments as smooth curves by the canvas, more of them pixel
// by pixel, because ten thousand curves take a canvas half a second. Nothing is thinned out.

import { ease } from "./axes";

export interface DrawnAxis {
  /** In pixels of the picture. */
  readonly x: number;
  readonly ys: Float32Array;
}

/** Above this many segments between axes, lines are drawn pixel by pixel. */
export const MAX_CURVES = 12_000;
/** The same when it must be quick: without a GPU, a thousand curves take the browser a frame. */
export const MAX_QUICK_CURVES = 1_000;

/** `rows` of one colour as one path. */
export function traceRows(
  context: CanvasPath & CanvasDrawPath,
  axes: readonly DrawnAxis[],
  rows: Iterable<number>,
): void {
  const [first] = axes;
  if (!first) return;
  context.beginPath();
  for (const row of rows) {
    let [x, y] = [first.x, first.ys[row] as number];
    context.moveTo(x, y);
    for (let i = 1; i < axes.length; i++) {
      const axis = axes[i] as DrawnAxis;
      const [nextX, nextY] = [axis.x, axis.ys[row] as number];
      // Control points at thirds: x is linear, and y eases as in `ease`.
      const third = (nextX - x) / 3;
      context.bezierCurveTo(x + third, y, nextX - third, nextY, nextX, nextY);
      [x, y] = [nextX, nextY];
    }
  }
}

/** The rows of each colour, in drawing order, as curves. */
export function drawCurves(
  context: CanvasRenderingContext2D,
  axes: readonly DrawnAxis[],
  rows: Uint32Array,
  codes: Uint8Array,
  colors: readonly string[],
): void {
  let start = 0;
  for (let i = 1; i <= rows.length; i++) {
    const code = codes[rows[start] as number] as number;
    if (i < rows.length && codes[rows[i] as number] === code) continue;
    traceRows(context, axes, rows.subarray(start, i));
    context.strokeStyle = colors[code] ?? "#888";
    context.stroke();
    start = i;
  }
}

// Both painters below have the same loop and differ in what they do with a pixel: a call for each would be too slow.

function easeTable(widthPx: number): Float32Array {
  const table = new Float32Array(widthPx + 1);
  for (let x = 0; x <= widthPx; x++) table[x] = ease(x / widthPx);
  return table;
}

/** Each row's line in its colour; later rows cover earlier ones. `step`: pixels of the page per pixel of the image. */
export function paintLines(
  image: ImageData,
  axes: readonly DrawnAxis[],
  rows: Uint32Array,
  codes: Uint8Array,
  colors: Uint32Array,
  step: number,
): void {
  const pixels = new Uint32Array(image.data.buffer);
  const { width, height } = image;
  for (let i = 1; i < axes.length; i++) {
    const [left, right] = [axes[i - 1] as DrawnAxis, axes[i] as DrawnAxis];
    const x0 = Math.round(left.x / step);
    const gap = Math.round(right.x / step) - x0;
    const table = easeTable(gap);
    const from = Math.max(0, -x0);
    const to = Math.min(gap, width - x0);
    for (let r = 0; r < rows.length; r++) {
      const row = rows[r] as number;
      const y0 = (left.ys[row] as number) / step;
      const dy = (right.ys[row] as number) / step - y0;
      const color = colors[codes[row] as number] as number;
      let last = (y0 + dy * (table[from] as number)) | 0;
      for (let x = from; x < to; x++) {
        const y = (y0 + dy * (table[x] as number)) | 0;
        if (y < 0 || y >= height) continue;
        let at = y * width + x0 + x;
        pixels[at] = color;
        if (y > last + 1) for (let gone = y - 1; gone > last; gone--) pixels[(at -= width)] = color;
        else if (y < last - 1) for (let gone = y + 1; gone < last; gone++) pixels[(at += width)] = color;
        last = y;
      }
    }
  }
}

/** Codes and counts share a number: far more lines than this meet in no pixel. */
const CODE_UNIT = 2 ** 24;

/**
 * Paints many rows at once, each pixel in the mean colour of its lines: with thousands of lines, the last ones would
 * hide all others. Colours of a ramp only. Keeps the sums: while a brush moves, most lines stay.
 */
export class MeanPainter {
  #sums = new Float64Array(0);
  #isPainted = new Uint8Array(0);
  #axes: readonly DrawnAxis[] = [];
  #codes: Uint8Array = new Uint8Array(0);
  #size = "";

  /** `grey` is the code of rows without a colour, which have no part in the mean. */
  paint(
    image: ImageData,
    axes: readonly DrawnAxis[],
    rows: Uint32Array,
    codes: Uint8Array,
    colors: Uint32Array,
    grey: number,
    step: number,
  ): void {
    const wanted = new Uint8Array(codes.length);
    for (const row of rows) if (codes[row] !== grey) wanted[row] = 1;
    const size = `${image.width} ${image.height} ${step}`;
    const isSame = this.#size === size && this.#codes === codes && haveSamePlaces(this.#axes, axes);
    let changed = isSame ? this.#changed(wanted) : null;
    if (!changed || changed.length > rows.length) {
      this.#sums = new Float64Array(image.width * image.height);
      this.#isPainted = new Uint8Array(codes.length);
      [this.#axes, this.#codes, this.#size] = [axes, codes, size];
      changed = this.#changed(wanted);
    }
    addLines(this.#sums, image, axes, changed, wanted, codes, step);
    this.#isPainted = wanted;
    const pixels = new Uint32Array(image.data.buffer);
    const opacity = opacities(MEAN_ALPHA);
    const sums = this.#sums;
    for (let at = 0; at < sums.length; at++) {
      const sum = sums[at] as number;
      if (sum === 0) continue;
      const count = Math.floor(sum / CODE_UNIT);
      const color = colors[Math.round((sum - count * CODE_UNIT) / count)] as number;
      pixels[at] = ((color & 0xffffff) | ((opacity[Math.min(255, count)] as number) << 24)) >>> 0;
    }
  }

  /** The rows that have to be added or taken away. */
  #changed(wanted: Uint8Array): Uint32Array {
    const rows = new Uint32Array(wanted.length);
    let count = 0;
    for (let row = 0; row < wanted.length; row++) if (wanted[row] !== this.#isPainted[row]) rows[count++] = row;
    return rows.subarray(0, count);
  }
}

const haveSamePlaces = (a: readonly DrawnAxis[], b: readonly DrawnAxis[]): boolean =>
  a.length === b.length && a.every(({ x, ys }, i) => x === b[i]?.x && ys === b[i].ys);

/** Adds the lines of wanted rows to the sums and takes those of others away: sums of integers are exact. */
function addLines(
  sums: Float64Array,
  { width, height }: ImageData,
  axes: readonly DrawnAxis[],
  rows: Uint32Array,
  wanted: Uint8Array,
  codes: Uint8Array,
  step: number,
): void {
  for (let i = 1; i < axes.length; i++) {
    const [left, right] = [axes[i - 1] as DrawnAxis, axes[i] as DrawnAxis];
    const x0 = Math.round(left.x / step);
    const gap = Math.round(right.x / step) - x0;
    const table = easeTable(gap);
    const [from, to] = [Math.max(0, -x0), Math.min(gap, width - x0)];
    for (let r = 0; r < rows.length; r++) {
      const row = rows[r] as number;
      const y0 = (left.ys[row] as number) / step;
      const dy = (right.ys[row] as number) / step - y0;
      const part = wanted[row] ? CODE_UNIT + (codes[row] as number) : -CODE_UNIT - (codes[row] as number);
      let last = (y0 + dy * (table[from] as number)) | 0;
      for (let x = from; x < to; x++) {
        const y = (y0 + dy * (table[x] as number)) | 0;
        if (y < 0 || y >= height) continue;
        let at = y * width + x0 + x;
        sums[at]! += part;
        if (y > last + 1) for (let gone = y - 1; gone > last; gone--) sums[(at -= width)]! += part;
        else if (y < last - 1) for (let gone = y + 1; gone < last; gone++) sums[(at += width)]! += part;
        last = y;
      }
    }
  }
}
const MEAN_ALPHA = 0.4;

/** By the number of lines that meet. */
const opacities = (alpha: number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, n) => Math.round(255 * (1 - (1 - alpha) ** n)));

/** All rows in one colour, more opaque where more lines meet. `step` as in `paintLines`. */
export function paintDensity(
  image: ImageData,
  axes: readonly DrawnAxis[],
  rows: Uint32Array,
  rgb: readonly [number, number, number],
  alpha: number,
  step: number,
): void {
  const { width, height } = image;
  const counts = new Uint16Array(width * height);
  for (let i = 1; i < axes.length; i++) {
    const [left, right] = [axes[i - 1] as DrawnAxis, axes[i] as DrawnAxis];
    const x0 = Math.round(left.x / step);
    const gap = Math.round(right.x / step) - x0;
    const table = easeTable(gap);
    const [from, to] = [Math.max(0, -x0), Math.min(gap, width - x0)];
    for (let r = 0; r < rows.length; r++) {
      const row = rows[r] as number;
      const y0 = (left.ys[row] as number) / step;
      const dy = (right.ys[row] as number) / step - y0;
      let last = (y0 + dy * (table[from] as number)) | 0;
      for (let x = from; x < to; x++) {
        const y = (y0 + dy * (table[x] as number)) | 0;
        if (y < 0 || y >= height) continue;
        let at = y * width + x0 + x;
        counts[at]!++;
        if (y > last + 1) for (let gone = y - 1; gone > last; gone--) counts[(at -= width)]!++;
        else if (y < last - 1) for (let gone = y + 1; gone < last; gone++) counts[(at += width)]!++;
        last = y;
      }
    }
  }
  const opacity = opacities(alpha);
  const pixels = new Uint32Array(image.data.buffer);
  const color = rgb[0] | (rgb[1] << 8) | (rgb[2] << 16);
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at] as number;
    if (count > 0) pixels[at] = (color | ((opacity[Math.min(255, count)] as number) << 24)) >>> 0;
  }
}

/** #rrggbb as ImageData has it in memory. */
export function packColor(hex: string): number {
  const [red, green, blue] = parseColor(hex);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export const parseColor = (hex: string): [number, number, number] => [
  Number.parseInt(hex.slice(1, 3), 16),
  Number.parseInt(hex.slice(3, 5), 16),
  Number.parseInt(hex.slice(5, 7), 16),
];
