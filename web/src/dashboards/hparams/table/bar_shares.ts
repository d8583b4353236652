// How long the bar behind a number is: its share of the column's own span, whatever the scale of its axis. Pure.

import { type Column, VALUE } from "../columns";

const LEAST = 0.06;

/** Finds the span of each column once. */
export function makeShares(): (column: Column, value: number) => number {
  const spans = new Map<string, readonly [number, number]>();
  return (column, value) => {
    let span = spans.get(column.id);
    if (!span) spans.set(column.id, (span = spanOf(column)));
    const [low, high] = span;
    return high > low ? LEAST + ((1 - LEAST) * (value - low)) / (high - low) : 1;
  };
}

function spanOf({ numbers, state }: Column): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let row = 0; row < numbers.length; row++)
    if (state[row] === VALUE) {
      low = Math.min(low, numbers[row] as number);
      high = Math.max(high, numbers[row] as number);
    }
  // Zero is where a bar begins, unless all values are far from it.
  return low > 0 && low < high / 2 ? [0, high] : [low, high];
}
