// Paints histograms, once they are laid out, on a 2D canvas. Knows only the picture.

import { type ChartedHistograms, type HistogramLayout, outliner, spanPx } from "./histogram_model";
import { rampOf } from "./mix_colors";

export interface HistogramColors {
  /** The background. */
  readonly surface: string;
  /** The colour farthest from the background. */
  readonly ink: string;
  /** For the fullest cells of a heat map. */
  readonly heat: string;
}

const CROWD = 24;

export function drawHistograms(
  ctx: CanvasRenderingContext2D,
  chart: ChartedHistograms,
  layout: HistogramLayout,
  colors: HistogramColors,
  pixelRatio: number,
): void {
  const { plot } = layout.axes;
  ctx.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  ctx.clearRect(0, 0, chart.widthPx, chart.heightPx);
  ctx.save();
  ctx.beginPath();
  ctx.rect(plot.left, 0, plot.right - plot.left, chart.heightPx);
  ctx.clip();
  if (chart.mode === "heat") drawHeat(ctx, chart, layout, colors);
  else drawOutlines(ctx, chart, layout, colors);
  ctx.restore();
}

function drawOutlines(
  ctx: CanvasRenderingContext2D,
  chart: ChartedHistograms,
  layout: HistogramLayout,
  colors: HistogramColors,
): void {
  const isOffset = chart.mode === "offset";
  const trace = outliner(layout, chart.isStepped);
  const lineTo = (x: number, y: number): void => ctx.lineTo(x, y);
  ctx.lineJoin = "bevel";
  chart.profiles.forEach((profile, i) => {
    ctx.beginPath();
    trace(profile, layout.baselines[i] as number, lineTo);
    if (isOffset) {
      ctx.fillStyle = profile.color;
      ctx.fill();
      ctx.strokeStyle = colors.surface;
      ctx.lineWidth = 0.8;
    } else {
      if (chart.profiles.length <= 3) {
        ctx.globalAlpha = 0.16;
        ctx.fillStyle = profile.color;
        ctx.fill();
      }
      ctx.globalAlpha = chart.profiles.length > CROWD ? 0.75 : 1;
      ctx.strokeStyle = profile.color;
      ctx.lineWidth = chart.profiles.length > CROWD ? 1 : 1.5;
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
  });
}

function drawHeat(
  ctx: CanvasRenderingContext2D,
  chart: ChartedHistograms,
  layout: HistogramLayout,
  colors: HistogramColors,
): void {
  const ramp = rampOf(colors.surface, colors.heat, colors.ink);
  chart.profiles.forEach((profile, i) => {
    const [start, end] = layout.slots[i] as readonly [number, number];
    // Whole pixels: gaps between cells would look like a grid.
    const fromX = Math.round(start);
    const width = Math.max(1, Math.round(end) - fromX);
    for (let b = 0; b < profile.count.length; b++) {
      const count = profile.count[b] as number;
      if (count <= 0) continue;
      const [bottom, top] = spanPx(layout.value, profile.left[b] as number, profile.right[b] as number);
      if (!Number.isFinite(top)) continue;
      const fromY = Math.round(Math.min(bottom, top));
      // A cell that contains anything differs visibly from an empty one.
      ctx.fillStyle = ramp[Math.max(12, Math.round(layout.sizeOf(count) * 255))] as string;
      ctx.fillRect(fromX, fromY, width, Math.max(1, Math.round(Math.max(bottom, top)) - fromY));
    }
  });
}
