// Means of groups of rows along two axes, with intervals. Pure.

import { type Bins, commonBins, discreteBins, isDiscrete, quantileBins } from "../bins";
import type { Column } from "../columns";
import { type Estimate, meanInterval, meanOf } from "../statistics";

const MOST_GROUPS = 12;
const QUARTERS = 4;
const HALVES = 2;
/** Fewer runs than this are no quarters. */
const LEAST_ROWS = 24;

/** Values of a column; quarters or halves of the runs where they hardly repeat. */
export function groupBins(column: Column): Bins {
  const { levels, numbers, missing } = column;
  if (levels) return discreteBins(column, MOST_GROUPS) ?? commonBins(column, MOST_GROUPS);
  const values = isDiscrete(column, MOST_GROUPS) ? discreteBins(column, MOST_GROUPS) : null;
  return values ?? quantileBins(column, numbers.length - missing < LEAST_ROWS ? HALVES : QUARTERS);
}

export interface GroupMean {
  readonly bin: number;
  readonly label: string;
  readonly n: number;
  /** Places on the axes: on a logarithmic one this is the geometric mean. */
  readonly x: Estimate;
  readonly y: Estimate;
}

export function groupMeans(x: Float32Array, y: Float32Array, bins: Bins, included: Uint8Array): GroupMean[] {
  const groups = bins.labels.map(() => ({ x: [] as number[], y: [] as number[] }));
  for (let row = 0; row < x.length; row++) {
    const group = groups[bins.of[row] as number];
    const [atX, atY] = [x[row] as number, y[row] as number];
    if (!group || included[row] !== 1 || Number.isNaN(atX + atY)) continue;
    group.x.push(atX);
    group.y.push(atY);
  }
  return groups.flatMap((group, bin) => {
    if (group.x.length === 0) return [];
    const [meanX, meanY] = [meanOf(group.x), meanOf(group.y)];
    return { bin, label: bins.labels[bin] ?? "", n: meanX.n, x: meanInterval(meanX), y: meanInterval(meanY) };
  });
}

const SMALLEST_PX = 1.6;

/** Areas grow with the value; rows without one are dots. */
export function radiiOf(places: Float32Array, largestPx: number): Float32Array {
  return places.map((place) => (Number.isNaN(place) ? SMALLEST_PX / 2 : radiusAt(place, largestPx)));
}

export const radiusAt = (place: number, largestPx: number): number =>
  Math.sqrt(SMALLEST_PX ** 2 + place * (largestPx ** 2 - SMALLEST_PX ** 2));
