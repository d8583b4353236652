// The Pareto front: rows that no other row beats in one metric without losing in another. Pure.

import type { Goal } from "../answer";

export interface Objective {
  /** NaN: the row has no value and takes no part. */
  readonly numbers: Float64Array;
  readonly goal: Goal;
}

/**
 * A flag for each row. Rows with equal values in all metrics are all on the front. `included`: only these rows compete.
 */
export function paretoFront(objectives: readonly Objective[], included: Uint8Array | null = null): Uint8Array {
  const rows = objectives[0]?.numbers.length ?? 0;
  const front = new Uint8Array(rows);
  // Everything is minimised, so that one comparison serves both goals.
  const costs = objectives.map(({ numbers, goal }) => (goal === "min" ? numbers : numbers.map((value) => -value)));
  const order: number[] = [];
  for (let row = 0; row < rows; row++)
    if (included?.[row] !== 0 && costs.every((cost) => !Number.isNaN(cost[row]))) order.push(row);
  // After sorting, a row can only be beaten by rows before it, so what was kept once stays.
  order.sort((a, b) => {
    for (const cost of costs) {
      const difference = (cost[a] as number) - (cost[b] as number);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
  const kept: number[] = [];
  for (const row of order) {
    // With two metrics the last one kept has the best second value so far.
    const rivals = costs.length === 2 ? kept.slice(-1) : kept;
    if (rivals.some((rival) => beats(costs, rival, row))) continue;
    front[row] = 1;
    kept.push(row);
  }
  return front;
}

function beats(costs: readonly Float64Array[], rival: number, row: number): boolean {
  let isBetter = false;
  for (const cost of costs) {
    const difference = (cost[rival] as number) - (cost[row] as number);
    if (difference > 0) return false;
    if (difference < 0) isBetter = true;
  }
  return isBetter;
}

/** The front of two metrics as a stair: rows from the best to the worst in x. */
export function stairRows(front: Uint8Array, x: Objective): number[] {
  const sign = x.goal === "min" ? 1 : -1;
  return [...front.keys()]
    .filter((row) => front[row] === 1)
    .sort((a, b) => sign * ((x.numbers[a] as number) - (x.numbers[b] as number)));
}
