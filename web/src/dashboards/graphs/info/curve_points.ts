// Where the values of a small curve are: linear, from the lowest to the highest, with gaps where there is none. Pure.

import type { CurvePoint } from "../../step_curve";

const MARGIN_PX = 4;

export function curvePoints(
  steps: readonly number[],
  values: readonly (number | null)[],
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
): CurvePoint[] {
  const finite = values.filter((value): value is number => value !== null && Number.isFinite(value));
  let [low, high] = [Infinity, -Infinity];
  for (const value of finite) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const [first, last] = [steps[0] ?? 0, steps.at(-1) ?? 0];
  const xOf = (step: number): number => (last > first ? ((step - first) / (last - first)) * widthPx : widthPx / 2);
  const yOf = (value: number): number =>
    high > low ? MARGIN_PX + (1 - (value - low) / (high - low)) * (heightPx - 2 * MARGIN_PX) : heightPx / 2;
  return steps.map((step, i): CurvePoint => {
    const value = values[i] ?? null;
    return [round(xOf(step)), value !== null && Number.isFinite(value) ? round(yOf(value)) : null];
  });
}

const round = (px: number): number => Math.round(px * 10) / 10;
