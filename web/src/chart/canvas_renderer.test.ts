import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Frame, type Stroke, toSeries } from "./model";

/** A canvas that counts the lines drawn on it, and how often another canvas was put there. */
class CountingCanvas {
  static readonly made: CountingCanvas[] = [];
  lines = 0;
  pasted = 0;
  hasContext = false;
  constructor(
    public width: number,
    public height: number,
  ) {
    CountingCanvas.made.push(this);
  }

  /** As in Firefox, which may refuse a canvas of the page to a worker the second time. */
  getContext(): object {
    if (this.hasContext) throw new Error("Cannot update created context to different thread");
    this.hasContext = true;
    const known: Record<string, () => void> = { stroke: () => this.lines++, drawImage: () => this.pasted++ };
    return new Proxy({}, { get: (_, name) => known[name as string] ?? ((): void => undefined), set: () => true });
  }
}

const STROKE: Stroke = { color: "red", widthPx: 1, alpha: 1, dash: [], axis: "left" };
const AXIS = { kind: "linear", domain: [0, 3] } as const;
const frame = {
  widthPx: 100,
  heightPx: 100,
  pixelRatio: 1,
  margins: { top: 0, right: 0, bottom: 0, left: 0 },
  x: AXIS,
  y: AXIS,
  y2: AXIS,
  breaksFalls: false,
  firstFound: 2,
} as unknown as Frame;
const line = (...y: number[]) => toSeries(Float64Array.of(0, 1, 2), Float64Array.from(y));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("OffscreenCanvas", CountingCanvas);
  vi.resetModules();
  CountingCanvas.made.length = 0;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("draws the backdrop once, and again only when it changes", async () => {
  const { CanvasRenderer } = await import("./canvas_renderer");
  const renderer = new CanvasRenderer(() => undefined);
  const canvas = new CountingCanvas(100, 100);
  const series = [line(0, 1, 2), line(2, 1, 0), line(1, 1, 1), line(2, 2, 2)];
  const areas: never[] = [];
  renderer.attach(1, canvas as unknown as OffscreenCanvas);
  renderer.draw(1, 1, frame, { series, strokes: series.map(() => STROKE), areas });
  await vi.advanceTimersByTimeAsync(20);
  expect([canvas.lines, canvas.pasted]).toEqual([4, 0]);
  await vi.advanceTimersByTimeAsync(1_000);
  const backdrop = CountingCanvas.made[1];
  expect([CountingCanvas.made.length, backdrop?.lines]).toEqual([2, 2]);

  // Another smoothing: the first two lines are kept.
  renderer.draw(1, 2, frame, { series: [line(0, 0, 1), line(1, 2, 2)] }, 2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([canvas.lines, canvas.pasted, backdrop?.lines]).toEqual([6, 1, 2]);

  // Another axis.
  renderer.draw(1, 3, { ...frame, y: { ...AXIS, domain: [0, 5] } } as unknown as Frame, {});
  await vi.advanceTimersByTimeAsync(1_000);
  expect([canvas.lines, canvas.pasted, CountingCanvas.made.length]).toEqual([10, 1, 3]);

  // Other colours, and gone before there was time for another backdrop.
  renderer.draw(1, 4, frame, { strokes: series.map(() => ({ ...STROKE, color: "blue" })) });
  await vi.advanceTimersByTimeAsync(20);
  renderer.detach(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([canvas.lines, canvas.pasted, CountingCanvas.made.length]).toEqual([14, 1, 3]);
});
