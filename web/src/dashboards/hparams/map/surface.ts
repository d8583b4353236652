// A metric over two continuous settings, smoothed: the weighted mean of the runs near each place (Nadaraya and Watson),
// how many runs it rests on, and how uncertain it is. Runs are sorted into a grid first, so that the work does not grow
// with their number. Pure.

export interface Surface {
  readonly columns: number;
  readonly rows: number;
  /** Row by row from below, places 0 to 1 along both axes. */
  readonly mean: Float64Array;
  /** Runs near the place; a run counts as 1 where it is and as less with distance. */
  readonly support: Float64Array;
  /** Standard error of the mean. */
  readonly error: Float64Array;
}

/** Below this there is no run within two widths of the kernel. */
export const LEAST_SUPPORT = 0.14;
const REACH = 3;
const LEAST_WIDTH = 0.04;
const MOST_WIDTH = 0.15;

/** `x` and `y`: places from 0 to 1, NaN for rows that have none. */
export function smoothSurface(
  x: Float64Array,
  y: Float64Array,
  metric: Float64Array,
  included: Uint8Array | null,
  columns: number,
  rows: number,
): Surface {
  const used: number[] = [];
  for (let row = 0; row < metric.length; row++)
    if (included?.[row] !== 0 && !Number.isNaN((x[row] as number) + (y[row] as number) + (metric[row] as number)))
      used.push(row);
  const size = columns * rows;
  const count = new Float64Array(size);
  const sum = new Float64Array(size);
  const squares = new Float64Array(size);
  // Values are taken from their mean, or squares of large values lose all digits.
  const center = used.reduce((total, row) => total + (metric[row] as number), 0) / Math.max(1, used.length);
  for (const row of used) {
    const value = (metric[row] as number) - center;
    spread((x[row] as number) * (columns - 1), (y[row] as number) * (rows - 1), columns, rows, (cell, share) => {
      count[cell] = (count[cell] as number) + share;
      sum[cell] = (sum[cell] as number) + share * value;
      squares[cell] = (squares[cell] as number) + share * value * value;
    });
  }
  const kernelX = kernelOf(widthOf(x, used), columns);
  const kernelY = kernelOf(widthOf(y, used), rows);
  const blur = (grid: Float64Array): Float64Array => convolve(grid, columns, rows, kernelX, kernelY);
  const support = blur(count);
  const sums = blur(sum);
  const square = blur(squares);
  const double = convolve(count, columns, rows, kernelX.map(twice), kernelY.map(twice));
  const overall = used.reduce((total, row) => total + ((metric[row] as number) - center) ** 2, 0) / (used.length || 1);
  const mean = new Float64Array(size).fill(Number.NaN);
  const error = new Float64Array(size).fill(Number.NaN);
  for (let cell = 0; cell < size; cell++) {
    const weight = support[cell] as number;
    if (weight < 1e-9) continue;
    const here = (sums[cell] as number) / weight;
    mean[cell] = here + center;
    const variance = Math.max(0, (square[cell] as number) / weight - here * here);
    const runs = weight ** 2 / Math.max(double[cell] as number, 1e-12);
    // Few runs say little of how much values vary, so the variance of all of them counts as one more.
    const pooled = (runs * variance + overall) / (runs + 1);
    error[cell] = Math.sqrt(pooled / Math.max(1e-9, Math.min(runs, weight)));
  }
  return { columns, rows, mean, support, error };
}

const twice = (value: number): number => value * value;

/** A point between four nodes of the grid counts at each by its nearness. */
function spread(x: number, y: number, columns: number, rows: number, add: (cell: number, share: number) => void): void {
  const left = Math.min(columns - 2, Math.max(0, Math.floor(x)));
  const low = Math.min(rows - 2, Math.max(0, Math.floor(y)));
  const right = Math.min(1, Math.max(0, x - left));
  const high = Math.min(1, Math.max(0, y - low));
  const cell = low * columns + left;
  add(cell, (1 - right) * (1 - high));
  add(cell + 1, right * (1 - high));
  add(cell + columns, (1 - right) * high);
  add(cell + columns + 1, right * high);
}

/** Scott's rule for two dimensions. */
function widthOf(places: Float64Array, used: readonly number[]): number {
  const mean = used.reduce((total, row) => total + (places[row] as number), 0) / Math.max(1, used.length);
  const variance = used.reduce((total, row) => total + ((places[row] as number) - mean) ** 2, 0) / (used.length || 1);
  const width = Math.sqrt(variance) * Math.max(1, used.length) ** (-1 / 6);
  return Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width));
}

/** From the middle outwards; 1 in the middle, so that support counts runs. */
function kernelOf(width: number, nodes: number): Float64Array {
  const step = 1 / (nodes - 1);
  const reach = Math.ceil((REACH * width) / step);
  return Float64Array.from({ length: reach + 1 }, (_, i) => Math.exp(-0.5 * ((i * step) / width) ** 2));
}

function convolve(
  grid: Float64Array,
  columns: number,
  rows: number,
  kernelX: Float64Array,
  kernelY: Float64Array,
): Float64Array {
  const across = new Float64Array(grid.length);
  pass(grid, across, kernelX, columns, rows, 1, columns);
  const both = new Float64Array(grid.length);
  pass(across, both, kernelY, rows, columns, columns, 1);
  return both;
}

function pass(
  from: Float64Array,
  to: Float64Array,
  kernel: Float64Array,
  length: number,
  lines: number,
  step: number,
  next: number,
): void {
  for (let line = 0; line < lines; line++)
    for (let at = 0; at < length; at++) {
      let total = 0;
      const first = Math.max(0, at - kernel.length + 1);
      const last = Math.min(length - 1, at + kernel.length - 1);
      for (let i = first; i <= last; i++)
        total += (from[line * next + i * step] as number) * (kernel[Math.abs(i - at)] as number);
      to[line * next + at * step] = total;
    }
}
