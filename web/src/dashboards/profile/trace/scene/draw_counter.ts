// Draws a counter as an area under its steps.

import type { Palette } from "../colors";
import { formatCounter } from "../counter_format";
import type { Kept, RowFrame } from "./frame";
import type { Context } from "./paints";

interface Ground {
  readonly x: (time: number) => number;
  readonly palette: Palette;
  readonly measure: (text: string) => number;
  readonly widthPx: number;
  /** The highest visible value is named. */
  readonly isPeakShown: boolean;
}

const TOP_PX = 5;
const BOTTOM_PX = 4;
const LEAST_PEAK = 2 ** 20;
const LEAST_RISE = 0.1;
const DENSE_PX = 1.6;

export function drawCounter(ctx: Context, row: RowFrame, kept: Kept, ground: Ground): void {
  const { counters } = row;
  if (!counters) return;
  const { x, palette } = ground;
  const [top, bottom] = [row.y + TOP_PX, row.y + row.height - BOTTOM_PX];
  const span = counters.high - counters.low || 1;
  const y = (value: number): number => bottom - ((value - counters.low) / span) * (bottom - top);
  let peak = { value: -Infinity, x: 0 };
  let lowest = Infinity;
  for (const piece of row.pieces) {
    const window = kept.counters.get(piece.window);
    const bounds = window?.bounds.get(piece.key);
    if (!window || !bounds) continue;
    const color = counters.colors.get(piece.key) ?? palette.faint;
    const isFirst = piece.key === counters.first;
    const { time, low, high, last } = window.points;
    const left = Math.max(0, x(piece.from));
    const right = Math.min(ground.widthPx, x(piece.to));
    let at = firstPoint(time, bounds, piece.from - window.from);
    const line = new Path2D();
    const band = new Path2D();
    const area = new Path2D();
    let value = last[at] as number;
    const start = Math.max(left, Math.min(right, x(window.from + (time[at] as number))));
    line.moveTo(start, y(value));
    area.moveTo(start, bottom);
    area.lineTo(start, y(value));
    let end = start;
    for (at++; at < bounds[1]; at++) {
      const moment = window.from + (time[at] as number);
      if (moment > piece.to) break;
      const px = x(moment);
      line.lineTo(px, y(value));
      area.lineTo(px, y(value));
      area.lineTo(px, y(last[at] as number));
      const [least, highest] = [low[at] as number, high[at] as number];
      if (isFirst) lowest = Math.min(lowest, least);
      if (isFirst && highest > peak.value && px >= 0 && px <= ground.widthPx) peak = { value: highest, x: px };
      // Within one pixel it may go up and down: a line of many such pixels would be a solid block.
      if (px - end < DENSE_PX && y(least) - y(highest) > 3) {
        band.rect(end, y(highest), px - end + 0.2, y(least) - y(highest));
        value = last[at] as number;
        line.moveTo(px, y(value));
        end = px;
        continue;
      }
      if (highest > Math.max(value, last[at] as number)) line.lineTo(px, y(highest));
      if (least < Math.min(value, last[at] as number)) line.lineTo(px, y(least));
      value = last[at] as number;
      line.lineTo(px, y(value));
      end = px;
    }
    end = Math.max(end, right);
    line.lineTo(end, y(value));
    area.lineTo(end, y(value));
    area.lineTo(end, bottom);
    area.closePath();
    ctx.fillStyle = ctx.strokeStyle = color;
    if (isFirst) {
      ctx.globalAlpha = 0.16;
      ctx.fill(area);
      ctx.globalAlpha = 1;
    }
    ctx.globalAlpha = 0.45;
    ctx.fill(band);
    ctx.globalAlpha = 1;
    ctx.lineWidth = isFirst ? 1.3 : 1;
    ctx.stroke(line);
    ctx.lineWidth = 1;
  }
  // Of a line that is flat, or of a few bytes, a peak says nothing.
  if (!ground.isPeakShown || row.height < 40 || peak.value < LEAST_PEAK) return;
  if (peak.value - lowest < span * LEAST_RISE) return;
  const text = `peak ${formatCounter(peak.value, counters.unit)}`;
  const need = ground.measure(text);
  const py = y(peak.value);
  ctx.fillStyle = palette.surface;
  ctx.strokeStyle = counters.colors.get(counters.first) ?? palette.faint;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.arc(peak.x, py, 2.8, 0, Math.PI * 2);
  ctx.fill();
  ctx.stroke();
  ctx.lineWidth = 1;
  ctx.fillStyle = palette.text;
  ctx.textAlign = "left";
  const textX = peak.x + 8 + need > ground.widthPx ? peak.x - 8 - need : peak.x + 8;
  ctx.fillText(text, textX, Math.max(row.y + 8, py - 3));
}

/** The last point at or before a moment, or the first. */
function firstPoint(time: Float64Array, [begin, end]: readonly [number, number], moment: number): number {
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((time[middle] as number) <= moment) low = middle + 1;
    else high = middle;
  }
  return Math.max(begin, low - 1);
}
