// Where a duration is in a histogram. Pure.

/** Index of the bin; -1: outside. The last bin includes its upper edge. */
export function binOf(edges: readonly number[], value: number): number {
  const last = edges.length - 1;
  if (last < 1 || value < (edges[0] as number) || value > (edges[last] as number)) return -1;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] as number) <= value) low = middle;
    else high = middle;
  }
  return low;
}
