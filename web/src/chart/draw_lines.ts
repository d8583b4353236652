// Draws lines on a 2D canvas. Runs in the worker; knows numbers, colours and pixels only.

import { type Frame, lowerBound, type Series, writeX } from "./model";

// Lines at the very edge keep their full width.
const BLEED_PX = 3;
const DOT_RADIUS_PX = 2.2;

export type Context = Pick<
  CanvasRenderingContext2D,
  | "arc" | "beginPath" | "clearRect" | "clip" | "fill" | "lineTo" | "moveTo" | "rect" | "restore" | "save" | "setTransform" | "stroke"
> & { lineJoin: CanvasLineJoin; lineCap: CanvasLineCap; lineWidth: number; globalAlpha: number; strokeStyle: unknown; fillStyle: unknown };

export function drawLines(ctx: Context, frame: Frame, lines: readonly Series[]): void {
  const { widthPx, heightPx, pixelRatio, margins } = frame;
  ctx.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  ctx.clearRect(0, 0, widthPx, heightPx);
  ctx.save();
  ctx.beginPath();
  ctx.rect(
    margins.left - BLEED_PX,
    margins.top - BLEED_PX,
    widthPx - margins.left - margins.right + 2 * BLEED_PX,
    heightPx - margins.top - margins.bottom + 2 * BLEED_PX,
  );
  ctx.clip();
  // Round joins cost more than the rest of a stroke and cannot be seen in a crowd.
  ctx.lineJoin = lines.length > 60 ? "bevel" : "round";
  ctx.lineCap = "butt";
  for (let i = 0; i < lines.length; i++) {
    const stroke = frame.strokes[i];
    const line = lines[i];
    if (!stroke || !line || stroke.alpha === 0) continue;
    ctx.strokeStyle = stroke.color;
    ctx.fillStyle = stroke.color;
    ctx.globalAlpha = stroke.alpha;
    ctx.lineWidth = stroke.widthPx;
    drawLine(ctx, frame, line);
  }
  ctx.restore();
}

// Every line's x is written here in turn: a thousand lines need no memory of their own for it.
let scratch = new Float64Array(0);

function scratchX({ table, mask, y }: Series): Float64Array {
  if (!mask) return table;
  if (scratch.length < y.length) scratch = new Float64Array(y.length * 2);
  const x = scratch.subarray(0, y.length);
  writeX(table, mask, x);
  return x;
}

function drawLine(ctx: Context, frame: Frame, series: Series): void {
  const { y, isSorted } = series;
  const x = scratchX(series);
  const { margins } = frame;
  const isLog = frame.yScale === "log";
  const yLow = isLog ? Math.log10(frame.y[0]) : frame.y[0];
  const yHigh = isLog ? Math.log10(frame.y[1]) : frame.y[1];
  const xFactor = (frame.widthPx - margins.left - margins.right) / (frame.x[1] - frame.x[0]);
  const yFactor = (frame.heightPx - margins.top - margins.bottom) / (yHigh - yLow);
  const bottomPx = frame.heightPx - margins.bottom;

  // One point beyond either edge, so that the line enters and leaves the picture.
  const first = isSorted ? Math.max(0, lowerBound(x, frame.x[0]) - 1) : 0;
  const last = isSorted ? Math.min(x.length - 1, lowerBound(x, frame.x[1]) + 1) : x.length - 1;
  const dots: number[] = [];
  let inGap = true;
  let pieceLength = 0;
  let atX = 0;
  let atY = 0;
  ctx.beginPath();
  for (let i = first; i <= last; i++) {
    const raw = y[i] as number;
    const value = isLog ? Math.log10(raw) : raw;
    if (!Number.isFinite(value)) {
      if (pieceLength === 1) dots.push(atX, atY);
      inGap = true;
      pieceLength = 0;
      continue;
    }
    atX = margins.left + ((x[i] as number) - frame.x[0]) * xFactor;
    atY = bottomPx - (value - yLow) * yFactor;
    if (inGap) ctx.moveTo(atX, atY);
    else ctx.lineTo(atX, atY);
    inGap = false;
    pieceLength++;
  }
  ctx.stroke();
  if (pieceLength === 1) dots.push(atX, atY);
  if (dots.length === 0) return;
  // A point without neighbours has no line to be on.
  ctx.beginPath();
  for (let i = 0; i < dots.length; i += 2) {
    const dotX = dots[i] as number;
    const dotY = dots[i + 1] as number;
    ctx.moveTo(dotX + DOT_RADIUS_PX, dotY);
    ctx.arc(dotX, dotY, DOT_RADIUS_PX, 0, 2 * Math.PI);
  }
  ctx.fill();
}
