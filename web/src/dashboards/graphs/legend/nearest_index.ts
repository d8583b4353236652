// Where a step stands among those that have values. Pure.

/** The index of the nearest step, of two equally near ones the earlier; the last for null; -1 without steps. */
export function nearestIndex(steps: readonly number[], step: number | null): number {
  if (step === null || steps.length === 0) return steps.length - 1;
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] as number) < step) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [steps[low - 1], steps[low] as number];
  return before !== undefined && step - before <= Math.abs(after - step) ? low - 1 : low;
}
