// Steps by time. There may be hundreds of thousands. Pure.

import type { Step } from "../answer";

/** The index of the first step that begins at or after a moment, of steps by their beginning. */
export function firstStep(steps: readonly Step[], time: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] as Step).start_ps < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
