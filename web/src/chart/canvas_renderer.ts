// Owns the canvases of all charts and draws the newest frame of each, one after the other. Runs in the worker; in
// browsers without OffscreenCanvas it runs on the page.

import { type Drawing, drawLines } from "./draw_lines";
import type { Area, Frame, Series, Stroke } from "./model";
import { isSameStrokes, type LineBuffer, type PackedStrokes } from "./line_buffer";

export type Message =
  | { type: "attach"; id: number; canvas: OffscreenCanvas }
  /**
   * Parts of the drawing that are missing have not changed, nor have the first `kept` lines, which come before those of
   * `series`.
   */
  | {
      type: "draw";
      id: number;
      number: number;
      frame: Frame;
      series?: LineBuffer;
      kept?: number;
      strokes?: PackedStrokes;
      areas?: readonly Area[];
    }
  | { type: "detach"; id: number };

export interface Drawn {
  id: number;
  number: number;
}

/** A picture of the lines behind the found ones. It stays valid while a slider moves. */
interface Backdrop {
  readonly canvas: OffscreenCanvas;
  readonly frame: string;
  readonly series: readonly Series[];
  readonly strokes: readonly Stroke[];
  readonly areas: readonly Area[];
}

interface Chart {
  canvas: OffscreenCanvas | HTMLCanvasElement;
  /** Asked for once: Firefox may refuse it the second time, in a worker. */
  ctx: OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null;
  drawing: Drawing;
  backdrop: Backdrop | null;
  timer: ReturnType<typeof setTimeout> | undefined;
  next: { number: number; frame: Frame } | null;
}

const FRAME_BUDGET_MS = 16;
const REST_MS = 150;

/** Some browsers have no animation frames in workers. */
const inNextFrame: (job: () => void) => void =
  typeof requestAnimationFrame === "function" ? (job) => requestAnimationFrame(job) : (job) => setTimeout(job, 16);

export class CanvasRenderer {
  private readonly charts = new Map<number, Chart>();
  private isScheduled = false;

  /** Called once per frame with all charts that were drawn. */
  constructor(private readonly onDrawn: (drawn: readonly Drawn[]) => void) {}

  attach(id: number, canvas: Chart["canvas"]): void {
    this.charts.set(id, {
      canvas,
      ctx: null,
      drawing: { series: [], strokes: [], areas: [] },
      backdrop: null,
      timer: undefined,
      next: null,
    });
  }

  /** `part` is what has changed; the rest stays, and so do the first `kept` lines. */
  draw(id: number, number: number, frame: Frame, part: Partial<Drawing>, kept = 0): void {
    const chart = this.charts.get(id);
    if (!chart) return;
    const series = part.series && kept > 0 ? [...chart.drawing.series.slice(0, kept), ...part.series] : part.series;
    chart.drawing = { ...chart.drawing, ...part, ...(series && { series }) };
    chart.next = { number, frame };
    this.schedule();
  }

  detach(id: number): void {
    clearTimeout(this.charts.get(id)?.timer);
    this.charts.delete(id);
  }

  /**
   * Draws as many charts per screen frame as fit, at least one: each appears as soon as it is drawn, and messages
   * arrive in between.
   */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    inNextFrame(() => {
      this.isScheduled = false;
      const startMs = performance.now();
      const drawn: Drawn[] = [];
      for (const [id, chart] of this.charts) {
        if (!chart.next) continue;
        if (performance.now() - startMs > FRAME_BUDGET_MS) {
          this.schedule();
          break;
        }
        const { number, frame } = chart.next;
        chart.next = null;
        this.drawNow(chart, frame);
        drawn.push({ id, number });
      }
      // The browser shows what was drawn when this callback ends, before any other task.
      setTimeout(() => this.onDrawn(drawn));
    });
  }

  private drawNow(chart: Chart, frame: Frame): void {
    const { canvas, drawing } = chart;
    const width = Math.max(1, Math.round(frame.widthPx * frame.pixelRatio));
    const height = Math.max(1, Math.round(frame.heightPx * frame.pixelRatio));
    // Setting a size clears the canvas, even if the size is the same.
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const ctx = (chart.ctx ??= canvas.getContext("2d") as Chart["ctx"]);
    if (!ctx) return;
    ctx.setTransform(frame.pixelRatio, 0, 0, frame.pixelRatio, 0, 0);
    ctx.clearRect(0, 0, frame.widthPx, frame.heightPx);
    const { firstFound } = frame;
    if (firstFound > 0 && chart.backdrop && isOf(chart.backdrop, frame, drawing)) {
      ctx.drawImage(chart.backdrop.canvas, 0, 0, frame.widthPx, frame.heightPx);
      drawLines(ctx, frame, drawing, firstFound);
      return;
    }
    chart.backdrop = null;
    drawLines(ctx, frame, drawing);
    if (firstFound > 0 && canDrawApart) this.prepare(chart, frame);
  }

  /** Prepares the backdrop when there is nothing else to do: drawing it at once would delay the chart. */
  private prepare(chart: Chart, frame: Frame): void {
    clearTimeout(chart.timer);
    const { drawing } = chart;
    chart.timer = setTimeout(() => {
      if (this.isScheduled) this.prepare(chart, frame);
      else if (chart.drawing === drawing && !chart.next) chart.backdrop = paintBackdrop(frame, drawing);
    }, REST_MS);
  }
}

const canDrawApart = typeof OffscreenCanvas === "function";

function paintBackdrop(frame: Frame, drawing: Drawing): Backdrop {
  const { firstFound, pixelRatio } = frame;
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(frame.widthPx * pixelRatio)),
    Math.max(1, Math.round(frame.heightPx * pixelRatio)),
  );
  const ctx = canvas.getContext("2d");
  ctx?.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  if (ctx) drawLines(ctx, frame, drawing, 0, firstFound);
  return {
    canvas,
    frame: JSON.stringify(frame),
    series: drawing.series.slice(0, firstFound),
    strokes: drawing.strokes.slice(0, firstFound),
    areas: drawing.areas,
  };
}

/** Whether the backdrop shows exactly what is behind the lines of this drawing. */
const isOf = (backdrop: Backdrop, frame: Frame, { series, strokes, areas }: Drawing): boolean =>
  backdrop.areas === areas &&
  backdrop.series.length === frame.firstFound &&
  backdrop.series.every((line, i) => line === series[i]) &&
  isSameStrokes(strokes.slice(0, frame.firstFound), backdrop.strokes) &&
  backdrop.frame === JSON.stringify(frame);
