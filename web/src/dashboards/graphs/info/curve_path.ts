// A small curve as a path of an SVG: linear, from the lowest to the highest value, with gaps where there is none. Pure.

export interface CurvePath {
  readonly path: string;
  /** Where each value is; y is null where there is none. */
  readonly points: readonly (readonly [x: number, y: number | null])[];
}

const MARGIN_PX = 4;

export function curvePath(
  steps: readonly number[],
  values: readonly (number | null)[],
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
): CurvePath {
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
  const points = steps.map((step, i): readonly [number, number | null] => {
    const value = values[i] ?? null;
    return [round(xOf(step)), value !== null && Number.isFinite(value) ? round(yOf(value)) : null];
  });
  let path = "";
  let isDown = false;
  for (const [x, y] of points) {
    if (y !== null) path += `${isDown ? "L" : "M"}${x} ${y}`;
    isDown = y !== null;
  }
  return { path, points };
}

const round = (px: number): number => Math.round(px * 10) / 10;
