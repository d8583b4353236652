// What lies beneath the points: the background, lines of equal density in 2-D, the axes in 3-D.

import { project, type View } from "./camera";
import type { Contour } from "./contours";
import type { Palette } from "./palette";

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** `contours` as paths in the units of the positions. */
export interface ContourPath {
  readonly isOuter: boolean;
  readonly path: Path2D;
  readonly contour: Contour;
}

export const contourPaths = (contours: readonly Contour[]): ContourPath[] =>
  contours.map((contour, i) => {
    const path = new Path2D();
    for (const line of contour.lines) {
      path.moveTo(line[0] as number, line[1] as number);
      for (let k = 2; k < line.length; k += 2) path.lineTo(line[k] as number, line[k + 1] as number);
    }
    return { isOuter: i === 0, path, contour };
  });

export function paintGround(
  ctx: Context,
  view: View,
  ratio: number,
  palette: Palette,
  contours: readonly ContourPath[],
  radius: number,
): void {
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.stage;
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.lineWidth = 1;
  if (view.dimensions === 3) {
    ctx.strokeStyle = palette.border;
    for (const end of axisEnds(view, radius)) {
      ctx.beginPath();
      ctx.moveTo(end[0], end[1]);
      ctx.lineTo(end[2], end[3]);
      ctx.stroke();
    }
    return;
  }
  const m = view.matrix;
  const toPx = { a: m[0] as number, d: m[5] as number, e: m[3] as number, f: m[7] as number };
  for (const { isOuter, path } of contours) {
    const onScreen = new Path2D();
    onScreen.addPath(path, toPx);
    ctx.strokeStyle = palette.contours[isOuter ? 0 : 1];
    ctx.stroke(onScreen);
  }
}

/** The three axes through the origin, as lines on the screen. */
export function axisEnds(view: View, radius: number): (readonly [number, number, number, number])[] {
  const lines: (readonly [number, number, number, number])[] = [];
  for (let axis = 0; axis < 3; axis++) {
    const at = (value: number): [number, number, number] => [0, 1, 2].map((i) => (i === axis ? value : 0)) as never;
    const [x1, y1, w1] = project(view, ...at(-radius));
    const [x2, y2, w2] = project(view, ...at(radius));
    if (w1 > 0 && w2 > 0) lines.push([x1, y1, x2, y2]);
  }
  return lines;
}
