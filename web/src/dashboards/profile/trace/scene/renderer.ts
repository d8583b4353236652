// Owns the canvas of a timeline and what was sent to it, and draws the newest frame. Runs in the worker; in browsers
// without OffscreenCanvas it runs on the page.

import type { Meaning } from "../colors";
import { Drawer } from "./draw";
import type { Frame, KeptCounters, KeptSlices, Message } from "./frame";
import type { Context } from "./paints";

export interface Drawn {
  readonly number: number;
  /** How long drawing took. */
  readonly ms: number;
}

/** Some browsers have no animation frames in workers. */
const inNextFrame: (job: () => void) => void =
  typeof requestAnimationFrame === "function" ? (job) => requestAnimationFrame(job) : (job) => setTimeout(job, 16);

export class Renderer {
  readonly #slices = new Map<number, KeptSlices>();
  readonly #counters = new Map<number, KeptCounters>();
  #meanings: readonly Meaning[] = [];
  #canvas: OffscreenCanvas | HTMLCanvasElement | null = null;
  #ctx: Context | null = null;
  #drawer: Drawer | null = null;
  #next: Frame | null = null;

  constructor(private readonly ondrawn: (drawn: Drawn) => void) {}

  attach(canvas: OffscreenCanvas | HTMLCanvasElement): void {
    this.#canvas = canvas;
  }

  take(message: Exclude<Message, { type: "canvas" }>): void {
    switch (message.type) {
      case "meanings":
        this.#meanings = message.meanings;
        return;
      case "slices":
        this.#slices.set(message.id, message.kept);
        return;
      case "counters":
        this.#counters.set(message.id, message.kept);
        return;
      case "forget":
        for (const id of message.ids) {
          this.#slices.delete(id);
          this.#counters.delete(id);
        }
        return;
      case "frame":
        if (!this.#next) inNextFrame(() => this.#draw());
        this.#next = message.frame;
        return;
      default:
        return message satisfies never;
    }
  }

  #draw(): void {
    const frame = this.#next;
    const canvas = this.#canvas;
    this.#next = null;
    if (!frame || !canvas) return;
    const begin = performance.now();
    const width = Math.max(1, Math.round(frame.widthPx * frame.ratio));
    const height = Math.max(1, Math.round(frame.heightPx * frame.ratio));
    // Setting a size clears the canvas, even if the size is the same.
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    this.#ctx ??= canvas.getContext("2d", { alpha: false }) as Context | null;
    if (!this.#ctx) return;
    this.#drawer ??= new Drawer(this.#ctx);
    this.#drawer.draw(frame, { slices: this.#slices, counters: this.#counters, meanings: this.#meanings });
    const ms = performance.now() - begin;
    // The browser shows what was drawn when this callback ends, before any other task.
    setTimeout(() => this.ondrawn({ number: frame.number, ms }));
  }
}
