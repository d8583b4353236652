// Owns the canvases of all charts and draws them one at a time, the newest frame of each. The worker runs one; a browser
// without OffscreenCanvas runs one on the page itself.

import { type Drawing, drawLines } from "./draw_lines";
import type { Area, Frame, Series, Stroke } from "./model";
import { isSameStrokes, type SeriesParcel, type StrokesParcel } from "./parcel";

export type Message =
  | { type: "attach"; id: number; canvas: OffscreenCanvas }
  /** What of the drawing is left out has not changed; nor have the first `kept` lines, which stand before those of `series`. */
  | { type: "draw"; id: number; number: number; frame: Frame; series?: SeriesParcel; kept?: number; strokes?: StrokesParcel; areas?: readonly Area[] }
  | { type: "detach"; id: number };

export interface Drawn {
  id: number;
  number: number;
}

/** The lines behind those that were asked for, as they were drawn: a slider that moves leaves them as they are. */
interface Backdrop {
  readonly canvas: OffscreenCanvas;
  readonly frame: string;
  readonly series: readonly Series[];
  readonly strokes: readonly Stroke[];
  readonly areas: readonly Area[];
}

interface Chart {
  canvas: OffscreenCanvas | HTMLCanvasElement;
  drawing: Drawing;
  backdrop: Backdrop | null;
  next: { number: number; frame: Frame } | null;
}

const FRAME_BUDGET_MS = 16;

/** Not every browser has animation frames in workers. */
const inNextFrame: (job: () => void) => void =
  typeof requestAnimationFrame === "function" ? (job) => requestAnimationFrame(job) : (job) => setTimeout(job, 16);

export class Studio {
  private readonly charts = new Map<number, Chart>();
  private isScheduled = false;

  constructor(private readonly onDrawn: (drawn: Drawn) => void) {}

  attach(id: number, canvas: Chart["canvas"]): void {
    this.charts.set(id, { canvas, drawing: { series: [], strokes: [], areas: [] }, backdrop: null, next: null });
  }

  /** `part` is what has changed of what is drawn; the rest stays, and so do the first `kept` lines. */
  draw(id: number, number: number, frame: Frame, part: Partial<Drawing>, kept = 0): void {
    const chart = this.charts.get(id);
    if (!chart) return;
    const series = part.series && kept > 0 ? [...chart.drawing.series.slice(0, kept), ...part.series] : part.series;
    chart.drawing = { ...chart.drawing, ...part, ...(series && { series }) };
    chart.next = { number, frame };
    this.schedule();
  }

  detach(id: number): void {
    this.charts.delete(id);
  }

  /**
   * As many charts a screen frame as fit into its time, at least one: each appears as soon as it is drawn, and newer
   * frames and detached charts are heard of in between.
   */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    inNextFrame(() => {
      this.isScheduled = false;
      const startMs = performance.now();
      for (const [id, chart] of this.charts) {
        if (!chart.next) continue;
        if (performance.now() - startMs > FRAME_BUDGET_MS) return this.schedule();
        const { number, frame } = chart.next;
        chart.next = null;
        this.drawNow(chart, frame);
        // What was drawn is handed to the screen when this callback ends, before any other task.
        setTimeout(() => this.onDrawn({ id, number }));
      }
    });
  }

  private drawNow(chart: Chart, frame: Frame): void {
    const { canvas, drawing } = chart;
    const width = Math.max(1, Math.round(frame.widthPx * frame.pixelRatio));
    const height = Math.max(1, Math.round(frame.heightPx * frame.pixelRatio));
    // Setting a size clears the canvas even when it is the same.
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const ctx = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null;
    if (!ctx) return;
    ctx.setTransform(frame.pixelRatio, 0, 0, frame.pixelRatio, 0, 0);
    ctx.clearRect(0, 0, frame.widthPx, frame.heightPx);
    const behind = canDrawApart ? Math.min(frame.firstFound, drawing.series.length) : 0;
    if (behind > 0) {
      chart.backdrop = paintBackdrop(chart.backdrop, frame, drawing, behind, width, height);
      ctx.drawImage(chart.backdrop.canvas, 0, 0, frame.widthPx, frame.heightPx);
    }
    drawLines(ctx, frame, drawing, behind);
  }
}

const canDrawApart = typeof OffscreenCanvas === "function";

/** The one there is, where it shows just this. */
function paintBackdrop(known: Backdrop | null, frame: Frame, drawing: Drawing, behind: number, width: number, height: number): Backdrop {
  const series = drawing.series.slice(0, behind);
  const strokes = drawing.strokes.slice(0, behind);
  const { areas } = drawing;
  const words = JSON.stringify(frame);
  const isSame = known?.frame === words && known.areas === areas && series.length === known.series.length && series.every((line, i) => line === known.series[i]) && isSameStrokes(strokes, known.strokes);
  if (known && isSame) return known;
  const canvas = known?.canvas.width === width && known.canvas.height === height ? known.canvas : new OffscreenCanvas(width, height);
  const ctx = canvas.getContext("2d");
  if (ctx) {
    ctx.setTransform(frame.pixelRatio, 0, 0, frame.pixelRatio, 0, 0);
    ctx.clearRect(0, 0, frame.widthPx, frame.heightPx);
    drawLines(ctx, frame, drawing, 0, behind);
  }
  return { canvas, frame: words, series, strokes, areas };
}
