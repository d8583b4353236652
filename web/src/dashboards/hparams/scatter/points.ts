// Many points as pixels. A page of cells has hundreds of thousands of points: written into an image by hand they take
// milliseconds, drawn as circles on a canvas, seconds. Pure.

export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, alpha by pixel, not premultiplied. */
  readonly pixels: Uint8ClampedArray;
}

/** The cover of each pixel of a disc, 0 to 1, in a square around its middle. */
export interface Disc {
  readonly size: number;
  readonly cover: Float32Array;
}

export function makeDisc(radius: number): Disc {
  const size = 2 * Math.ceil(radius + 0.5) + 1;
  const middle = (size - 1) / 2;
  const cover = Float32Array.from({ length: size * size }, (_, i) => {
    const distance = Math.hypot((i % size) - middle, Math.floor(i / size) - middle);
    return Math.min(1, Math.max(0, radius + 0.5 - distance));
  });
  return { size, cover };
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
  const { size, cover } = disc;
  const left = Math.round(x) - (size - 1) / 2;
  const top = Math.round(y) - (size - 1) / 2;
  for (let dy = 0; dy < size; dy++) {
    const py = top + dy;
    if (py < 0 || py >= height) continue;
    for (let dx = 0; dx < size; dx++) {
      const px = left + dx;
      const part = (cover[dy * size + dx] as number) * alpha;
      if (part === 0 || px < 0 || px >= width) continue;
      const at = (py * width + px) * 4;
      const below = (pixels[at + 3] as number) / 255;
      const over = part + below * (1 - part);
      const share = part / over;
      pixels[at] = (pixels[at] as number) * (1 - share) + color.red * share;
      pixels[at + 1] = (pixels[at + 1] as number) * (1 - share) + color.green * share;
      pixels[at + 2] = (pixels[at + 2] as number) * (1 - share) + color.blue * share;
      pixels[at + 3] = over * 255;
    }
  }
}

/** The row whose point is nearest to a place, within `reach`; −1 if there is none. `x`, `y`: in pixels. */
export function nearestRow(
  x: (row: number) => number,
  y: (row: number) => number,
  rows: number,
  included: Uint8Array,
  atX: number,
  atY: number,
  reach: number,
): number {
  let nearest = -1;
  let best = reach * reach;
  // What is brushed away can be found too, but not in front of what is included.
  for (let row = 0; row < rows; row++) {
    const distance = (x(row) - atX) ** 2 + (y(row) - atY) ** 2;
    const cost = included[row] ? distance : distance + (reach * reach) / 2;
    if (cost <= best) [nearest, best] = [row, cost];
  }
  return nearest;
}
