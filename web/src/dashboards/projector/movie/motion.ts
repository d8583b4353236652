// Positions of points over steps: at one step, trails behind points, and which points moved most. Pure.

/** Positions of steps one after the other: steps × points × dimensions, for as many steps as there are so far. */
export interface StepPositions {
  readonly positions: Float32Array<ArrayBuffer>;
  readonly dimensions: number;
  /** The rows that the positions are of; null: all in order. */
  readonly rows: Int32Array | null;
  readonly count: number;
}

/** Not a copy. */
export function positionsAt({ positions, count, dimensions }: StepPositions, index: number): Float32Array<ArrayBuffer> {
  const size = count * dimensions;
  return positions.subarray(index * size, (index + 1) * size);
}

export interface TrailPositions {
  /** Places of each row. */
  readonly length: number;
  /** Three numbers for each place, the oldest first. */
  readonly positions: Float32Array<ArrayBuffer>;
}

/** The way of each row over the last `length` steps, on these axes. */
export function trailsOf(
  movie: StepPositions,
  rows: ArrayLike<number>,
  index: number,
  { length, axes }: { readonly length: number; readonly axes: readonly number[] },
): TrailPositions {
  const { dimensions } = movie;
  const first = Math.max(0, index - length);
  const stops = index - first + 1;
  const trails = new Float32Array(3 * rows.length * stops);
  const places = placesOf(movie.rows, rows);
  for (let stop = 0; stop < stops; stop++) {
    const here = positionsAt(movie, first + stop);
    for (let i = 0; i < rows.length; i++)
      axes.forEach((axis, to) => {
        trails[3 * (i * stops + stop) + to] = here[(places[i] as number) * dimensions + axis] ?? Number.NaN;
      });
  }
  return { length: stops, positions: trails };
}

/** Where each of `wanted` is in `rows`, which ascend. */
function placesOf(rows: Int32Array | null, wanted: ArrayLike<number>): number[] {
  return Array.from(wanted, (row) => {
    if (!rows) return row;
    let [low, high] = [0, rows.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = rows[middle] as number;
      if (found === row) return middle;
      if (found < row) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  });
}

/** Indices of the largest values, largest first. Those that are not numbers are left out. */
export function largest(values: ArrayLike<number>, count: number): number[] {
  const best: number[] = [];
  let least = -Infinity;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (Number.isNaN(value) || (best.length === count && value <= least)) continue;
    let place = best.length;
    while (place > 0 && (values[best[place - 1] as number] as number) < value) place--;
    best.splice(place, 0, at);
    if (best.length > count) best.pop();
    least = values[best[best.length - 1] as number] as number;
  }
  return best;
}

/** How long a movie stays between two steps: all of it takes some seconds, however many steps it has. */
export function stepMs(steps: number): number {
  const WHOLE_MS = 8_000;
  return Math.min(Math.max(WHOLE_MS / Math.max(steps - 1, 1), 120), 900);
}
