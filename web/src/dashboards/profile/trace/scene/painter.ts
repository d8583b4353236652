// The page's side of drawing: sends answers once and frames as they come, to a worker where there can be one.

import type { Meaning } from "../colors";
import type { CounterWindow } from "../loading.svelte";
import type { SliceWindow } from "../windows";
import type { Frame, Message } from "./frame";
import { type Drawn, Renderer } from "./renderer";

export class Painter {
  #worker: Worker | null = null;
  #renderer: Renderer | null = null;

  /** A canvas can be painted only once: its control moves to the worker for good. */
  constructor(canvas: HTMLCanvasElement, ondrawn: (drawn: Drawn) => void) {
    if (typeof OffscreenCanvas === "function" && "transferControlToOffscreen" in canvas) {
      this.#worker = new Worker(new URL("./scene.worker.ts", import.meta.url), { type: "module" });
      this.#worker.addEventListener("message", ({ data }: MessageEvent<Drawn>) => ondrawn(data));
      const offscreen = canvas.transferControlToOffscreen();
      this.#worker.postMessage({ type: "canvas", canvas: offscreen } satisfies Message, [offscreen]);
    } else {
      this.#renderer = new Renderer(ondrawn);
      this.#renderer.attach(canvas);
    }
  }

  dispose(): void {
    this.#worker?.terminate();
    this.#worker = this.#renderer = null;
  }

  setMeanings(meanings: readonly Meaning[]): void {
    this.#send({ type: "meanings", meanings });
  }

  add(window: SliceWindow | CounterWindow): void {
    const { id, from } = window;
    if ("slices" in window)
      this.#send({ type: "slices", id, kept: { from, slices: window.slices, rows: window.rows } });
    else this.#send({ type: "counters", id, kept: { from, points: window.points, bounds: window.bounds } });
  }

  forget(ids: readonly number[]): void {
    if (ids.length > 0) this.#send({ type: "forget", ids });
  }

  draw(frame: Frame): void {
    this.#send({ type: "frame", frame });
  }

  #send(message: Exclude<Message, { type: "canvas" }>): void {
    this.#worker?.postMessage(message);
    this.#renderer?.take(message);
  }
}
