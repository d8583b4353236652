// Many points as pixels. A page of cells has hundreds of thousands of points: written into an image by hand they take
// milliseconds, drawn as circles on a canvas, seconds. Pure.

export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, alpha by pixel, not premultiplied. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
}

export const makeRaster = (width: number, height: number): Raster => ({
  width,
  height,
  pixels: new Uint8ClampedArray(width * height * 4),
});

/** The pixels of a disc around its middle, and how much of each it covers, 0 to 1. */
export interface Disc {
  readonly reach: number;
  readonly dx: Int8Array;
  readonly dy: Int8Array;
  readonly cover: Float32Array;
}

export function makeDisc(radius: number): Disc {
  const reach = Math.ceil(radius + 0.5) - 1;
  const size = 2 * reach + 1;
  const pixels = Array.from({ length: size * size }, (_, i) => {
    const dx = (i % size) - reach;
    const dy = Math.floor(i / size) - reach;
    return { dx, dy, cover: Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(dx, dy))) };
  }).filter(({ cover }) => cover > 0);
  return {
    reach,
    dx: Int8Array.from(pixels, ({ dx }) => dx),
    dy: Int8Array.from(pixels, ({ dy }) => dy),
    cover: Float32Array.from(pixels, ({ cover }) => cover),
  };
}

export interface Rgb {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

export function readHex(color: string): Rgb {
  const number = Number.parseInt(color.slice(1), 16);
  return { red: (number >> 16) & 255, green: (number >> 8) & 255, blue: number & 255 };
}

/** Over what is there. `x` and `y`: the middle, in pixels. */
export function stamp(raster: Raster, disc: Disc, x: number, y: number, color: Rgb, alpha: number): void {
  const { width, height, pixels } = raster;
  const { reach, dx, dy, cover } = disc;
  const middleX = Math.round(x);
  const middleY = Math.round(y);
  const isInside = middleX >= reach && middleY >= reach && middleX + reach < width && middleY + reach < height;
  for (let i = 0; i < cover.length; i++) {
    const px = middleX + (dx[i] as number);
    const py = middleY + (dy[i] as number);
    if (!isInside && (px < 0 || py < 0 || px >= width || py >= height)) continue;
    const at = (py * width + px) * 4;
    const part = (cover[i] as number) * alpha;
    if (part === 1) {
      pixels[at] = color.red;
      pixels[at + 1] = color.green;
      pixels[at + 2] = color.blue;
      pixels[at + 3] = 255;
      continue;
    }
    const below = (pixels[at + 3] as number) / 255;
    const over = part + below * (1 - part);
    const share = part / over;
    pixels[at] = (pixels[at] as number) * (1 - share) + color.red * share;
    pixels[at + 1] = (pixels[at + 1] as number) * (1 - share) + color.green * share;
    pixels[at + 2] = (pixels[at + 2] as number) * (1 - share) + color.blue * share;
    pixels[at + 3] = over * 255;
  }
}

/** The row whose point is nearest to a place, within `reach`; −1 if there is none. `x`, `y`: in pixels. */
export function nearestRow(
  x: (row: number) => number,
  y: (row: number) => number,
  included: Uint8Array,
  atX: number,
  atY: number,
  reach: number,
): number {
  let nearest = -1;
  let best = reach * reach;
  // What is brushed away can be found too, but not in front of what is included.
  const handicap = best / 2;
  for (let row = 0; row < included.length; row++) {
    const distance = (x(row) - atX) ** 2 + (y(row) - atY) ** 2;
    const cost = included[row] ? distance : distance + handicap;
    if (cost <= best) [nearest, best] = [row, cost];
  }
  return nearest;
}

/**
 * Rows by their colour: those without a value, which have the last one, below all others, and the best on top. A
 * counting sort: rows of one colour stay in order.
 */
export function drawOrder(codes: Uint8Array, colors: number): Uint32Array {
  const placeOf = (code: number): number => (code + 1) % colors;
  const starts = new Uint32Array(colors + 1);
  for (const code of codes) {
    const place = placeOf(code) + 1;
    starts[place] = (starts[place] as number) + 1;
  }
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number);
  const order = new Uint32Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    const place = placeOf(codes[row] as number);
    const at = starts[place] as number;
    order[at] = row;
    starts[place] = at + 1;
  }
  return order;
}

/** Smaller with many points, so that clouds keep their shape. In CSS pixels. */
export function radiusFor(rows: number, areaPx: number): number {
  const room = Math.sqrt(areaPx / Math.max(1, rows));
  return Math.min(3.2, Math.max(1, room / 5));
}

/** Where a plot lies in a raster, in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Cloud {
  /** By row, 0 to 1 within the box; others, and NaN, are not drawn. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly disc: Disc;
}

/**
 * All rows of several clouds in one colour, darker where they are dense. Counts how often each pixel is covered, which
 * is several times as fast as to blend one point over the other.
 */
export function paintAll(raster: Raster, clouds: readonly (readonly [Box, Cloud])[], color: Rgb, alpha: number): void {
  const { width, height, pixels } = raster;
  const counts = new Float32Array(width * height);
  for (const [box, { x, y, disc }] of clouds) {
    const { reach, dx, dy, cover } = disc;
    for (let row = 0; row < x.length; row++) {
      const atX = x[row] as number;
      const atY = y[row] as number;
      if (!(atX >= 0 && atX <= 1 && atY >= 0 && atY <= 1)) continue;
      const middleX = Math.round(box.left + atX * box.width);
      const middleY = Math.round(box.top + (1 - atY) * box.height);
      if (middleX < reach || middleY < reach || middleX + reach >= width || middleY + reach >= height) continue;
      for (let i = 0; i < cover.length; i++) {
        const at = (middleY + (dy[i] as number)) * width + middleX + (dx[i] as number);
        counts[at] = (counts[at] as number) + (cover[i] as number);
      }
    }
  }
  const rate = Math.log(1 - alpha);
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] as number;
    if (count === 0) continue;
    pixels[4 * i] = color.red;
    pixels[4 * i + 1] = color.green;
    pixels[4 * i + 2] = color.blue;
    pixels[4 * i + 3] = 255 * (1 - Math.exp(rate * count));
  }
}

/** The rows with a flag, each in its colour, in this order. */
export function paintRows(
  raster: Raster,
  box: Box,
  { x, y, disc }: Cloud,
  order: Uint32Array,
  flags: Uint8Array,
  codes: Uint8Array,
  palette: readonly Rgb[],
  alpha = 1,
): void {
  const { left, top, width, height } = box;
  for (const row of order) {
    if (flags[row] !== 1) continue;
    const atX = x[row] as number;
    const atY = y[row] as number;
    const color = palette[codes[row] as number];
    if (color && atX >= 0 && atX <= 1 && atY >= 0 && atY <= 1)
      stamp(raster, disc, left + atX * width, top + (1 - atY) * height, color, alpha);
  }
}
