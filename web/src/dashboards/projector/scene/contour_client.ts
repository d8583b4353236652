// Asks the worker for lines of equal density: one question at a time, and after it only the newest one.

import type { Contour } from "./contours";
import type { ContourAnswer, ContourQuestion } from "./contours.worker";

export class ContourClient {
  #worker: Worker | null = null;
  #turn = 0;
  /** Answers up to this turn are not wanted any more. */
  #forgotten = 0;
  #isBusy = false;
  #next: (() => ContourQuestion) | null = null;

  constructor(private readonly onload: (contours: readonly Contour[]) => void) {}

  ask(positions: Float32Array, rows: Uint32Array): void {
    const turn = ++this.#turn;
    this.#next = () => ({ turn, positions, rows });
    this.#send();
  }

  /** None are wanted any more. */
  forget(): void {
    this.#forgotten = this.#turn;
    this.#next = null;
  }

  #send(): void {
    if (this.#isBusy || !this.#next) return;
    const worker = (this.#worker ??= this.#start());
    this.#isBusy = true;
    worker.postMessage(this.#next());
    this.#next = null;
  }

  #start(): Worker {
    const worker = new Worker(new URL("./contours.worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<ContourAnswer>) => {
      this.#isBusy = false;
      // Also of positions that have moved on: while they stream in, lines that lag are nearer than those of before.
      if (data.turn > this.#forgotten) this.onload(data.contours);
      this.#send();
    });
    // Without its code there are no lines; everything else works.
    worker.addEventListener("error", () => (this.#isBusy = false));
    return worker;
  }

  end(): void {
    this.forget();
    this.#worker?.terminate();
  }
}
