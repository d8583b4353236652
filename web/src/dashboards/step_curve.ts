// The path of a small curve over steps, with gaps where there is no value. Pure.

export type CurvePoint = readonly [x: number, y: number | null];

export function pathThrough(points: readonly CurvePoint[]): string {
  let path = "";
  let isDown = false;
  for (const [x, y] of points) {
    if (y !== null) path += `${isDown ? "L" : "M"}${round(x)} ${round(y)}`;
    isDown = y !== null;
  }
  return path;
}

const round = (px: number): number => Math.round(px * 10) / 10;
