// Draws bands, lines and marks on a 2D canvas. Runs in the worker and in exports; knows only numbers, colours and
// pixels.

import { Marks, markOutline } from "./marks";
import type { Area, Frame, Series, Stroke } from "./model";
import { GAP, PARTS, Projection, type Polyline } from "./projection";

// So that lines at the very edge keep their full width, and marks on the axis their shape.
const BLEED_PX = 4.5;
const DOT_RADIUS_PX = 2.2;
const SOLID: number[] = [];

export type Context = Pick<
  CanvasRenderingContext2D,
  | "arc"
  | "beginPath"
  | "clip"
  | "closePath"
  | "fill"
  | "lineTo"
  | "moveTo"
  | "rect"
  | "restore"
  | "save"
  | "setLineDash"
  | "scale"
  | "stroke"
  | "translate"
> & {
  lineJoin: CanvasLineJoin;
  lineCap: CanvasLineCap;
  lineWidth: number;
  globalAlpha: number;
  strokeStyle: unknown;
  fillStyle: unknown;
};

export interface Drawing {
  readonly series: readonly Series[];
  /** One per series, in the same order; later ones are drawn on top. */
  readonly strokes: readonly Stroke[];
  readonly areas: readonly Area[];
}

/** Draws all lines, or those from one index to before another; bands are behind the first. */
export function drawLines(
  ctx: Context,
  frame: Frame,
  { series, strokes, areas }: Drawing,
  from = 0,
  to = series.length,
): void {
  const projection = new Projection(frame);
  const { plot } = projection;
  const marks = new Marks(plot);
  ctx.save();
  ctx.beginPath();
  ctx.rect(
    plot.left - BLEED_PX,
    plot.top - BLEED_PX,
    plot.right - plot.left + 2 * BLEED_PX,
    plot.bottom - plot.top + 2 * BLEED_PX,
  );
  ctx.clip();
  if (from === 0) for (const area of areas) drawArea(ctx, projection, area);
  ctx.lineJoin = "bevel";
  ctx.lineCap = "butt";
  const pixelColumnPx = 1 / frame.pixelRatio;
  for (let i = from; i < to; i++) {
    const stroke = strokes[i];
    const line = series[i];
    if (!stroke || !line || stroke.alpha === 0) continue;
    ctx.strokeStyle = stroke.color;
    ctx.globalAlpha = stroke.alpha;
    ctx.setLineDash(stroke.dash.length > 0 ? stroke.dash.map((lengthPx) => lengthPx * PARTS) : SOLID);
    const polyline = projection.project(line, stroke.axis, pixelColumnPx);
    const twin = twinOffsetPx(stroke, frame.pixelRatio) * PARTS;
    ctx.scale(1 / PARTS, 1 / PARTS);
    if (twin > 0) {
      ctx.lineWidth = PARTS / frame.pixelRatio;
      const path = new Path2D();
      follow(polyline, path);
      ctx.translate(-twin / 2, twin);
      ctx.stroke(path);
      ctx.translate(twin, -2 * twin);
      ctx.stroke(path);
      ctx.translate(-twin / 2, twin);
    } else {
      ctx.lineWidth = stroke.widthPx * PARTS;
      ctx.beginPath();
      follow(polyline, ctx);
      ctx.stroke();
    }
    ctx.scale(PARTS, PARTS);
    if (polyline.dots.length > 0) drawDots(ctx, polyline.dots, stroke.color);
    if (i >= frame.firstFound) marks.addAll(polyline.marks, stroke.color);
  }
  ctx.globalAlpha = 1;
  ctx.setLineDash(SOLID);
  for (const mark of marks.list) {
    ctx.beginPath();
    markOutline(mark).forEach(([xPx, yPx], i) =>
      i === 0 || (mark.shape === "cross" && i === 2) ? ctx.moveTo(xPx, yPx) : ctx.lineTo(xPx, yPx),
    );
    if (mark.shape === "cross") {
      ctx.strokeStyle = mark.color;
      ctx.lineWidth = 1.6;
      ctx.stroke();
    } else {
      ctx.fillStyle = mark.color;
      ctx.closePath();
      ctx.fill();
    }
  }
  ctx.restore();
}

function follow({ xy, length }: Polyline, path: Pick<Path2D, "moveTo" | "lineTo">): void {
  let isDown = false;
  for (let i = 0; i < length; i += 2) {
    const isEnd = xy[i] === GAP;
    if (isDown && !isEnd) path.lineTo(xy[i] as number, xy[i + 1] as number);
    else if (!isEnd) path.moveTo(xy[i] as number, xy[i + 1] as number);
    isDown = !isEnd;
  }
}

/**
 * Without a GPU, a line of one device pixel draws many times faster than a wider one. So a line of up to two pixels is
 * drawn as two lines side by side. Returns their distance from the middle, 0 for all other lines.
 */
function twinOffsetPx({ widthPx, dash }: Stroke, pixelRatio: number): number {
  const devicePx = widthPx * pixelRatio;
  return dash.length === 0 && devicePx > 1 && devicePx <= 2 ? (devicePx - 1) / 2 / pixelRatio : 0;
}

function drawDots(ctx: Context, dots: readonly number[], color: string): void {
  ctx.fillStyle = color;
  ctx.beginPath();
  for (let i = 0; i < dots.length; i += 2) {
    const dotX = dots[i] as number;
    const dotY = dots[i + 1] as number;
    ctx.moveTo(dotX + DOT_RADIUS_PX, dotY);
    ctx.arc(dotX, dotY, DOT_RADIUS_PX, 0, 2 * Math.PI);
  }
  ctx.fill();
}

function drawArea(ctx: Context, projection: Projection, area: Area): void {
  ctx.fillStyle = area.color;
  ctx.globalAlpha = area.alpha;
  for (const outline of areaOutlines(projection, area)) {
    ctx.beginPath();
    for (let i = 0; i < outline.length; i += 2) {
      if (i === 0) ctx.moveTo(outline[0] as number, outline[1] as number);
      else ctx.lineTo(outline[i] as number, outline[i + 1] as number);
    }
    ctx.closePath();
    ctx.fill();
  }
}

/** The unbroken pieces of the band, each as x, y, x, y … along its upper bound and back along the lower. */
export function* areaOutlines(projection: Projection, { table, low, high, axis }: Area): Generator<number[]> {
  const x = projection.table(table);
  const toPx = projection.yPx(axis);
  let top: number[] = [];
  let bottom: number[] = [];
  for (let i = 0; i <= x.length; i++) {
    const xPx = x[i] ?? Number.NaN;
    const topPx = toPx(high[i] ?? Number.NaN);
    // A log axis has no zero: a band that reaches zero goes down to the edge.
    const bottomPx = lowerPx(toPx(low[i] ?? Number.NaN), low[i], projection.plot.bottom);
    if (Number.isFinite(xPx) && Number.isFinite(topPx) && Number.isFinite(bottomPx)) {
      top.push(xPx, topPx);
      bottom.push(bottomPx, xPx);
    } else if (top.length > 0) {
      // A single x has no width; it gets one pixel, so that it is visible.
      if (top.length === 2) {
        top = [(top[0] as number) - 0.5, top[1] as number, (top[0] as number) + 0.5, top[1] as number];
        bottom = [bottom[0] as number, (bottom[1] as number) - 0.5, bottom[0] as number, (bottom[1] as number) + 0.5];
      }
      yield [...top, ...bottom.reverse()];
      top = [];
      bottom = [];
    }
  }
}

const lowerPx = (px: number, value: number | undefined, edgePx: number): number =>
  value !== undefined && Number.isFinite(value) && !Number.isFinite(px) ? edgePx : px;
