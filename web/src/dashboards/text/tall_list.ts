// Positions of rows with different heights in a list. Pure.

/** The top of every row, and the bottom of the last. */
export function topsOf(heightsPx: readonly number[]): Float64Array {
  const tops = new Float64Array(heightsPx.length + 1);
  heightsPx.forEach((heightPx, i) => (tops[i + 1] = (tops[i] as number) + heightPx));
  return tops;
}

/** The row at a height: the first row if above the list, the last if below it, 0 if there are no rows. */
export function rowAt(tops: Float64Array, px: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] as number) <= px) low = middle;
    else high = middle - 1;
  }
  return low;
}
