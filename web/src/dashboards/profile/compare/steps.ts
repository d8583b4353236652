// Which steps of two profiles are compared. Pure.

import { formatCount } from "../../../base/count";

/** The number of a step; null: an average one. */
export interface Steps {
  readonly before: number | null;
  readonly now: number | null;
}

interface Step {
  readonly number: number;
  readonly start_ps: number;
  readonly end_ps: number;
}

/** The numbers of steps, each once: workers share them. */
export const stepNumbers = (steps: readonly Step[]): readonly number[] =>
  [...new Set(steps.map(({ number }) => number))].toSorted((a, b) => a - b);

/** Within one profile: a step of the usual length, and the longest. Null: there are not two steps. */
export function usualAndLongest(steps: readonly Step[]): Steps | null {
  const took = new Map<number, number>();
  for (const { number, start_ps, end_ps } of steps)
    took.set(number, Math.max(took.get(number) ?? 0, end_ps - start_ps));
  const ordered = [...took].toSorted(([a, x], [b, y]) => x - y || a - b);
  const [usual, longest] = [ordered[(ordered.length - 1) >> 1], ordered.at(-1)];
  return usual && longest && ordered.length > 1 ? { before: usual[0], now: longest[0] } : null;
}

/** Of an average step: what only some steps have is a part of one. */
export const callsText = (calls: number): string =>
  calls < 10 && !Number.isInteger(calls) ? String(Number(calls.toPrecision(2))) : formatCount(Math.round(calls));
