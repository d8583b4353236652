// The workers that draw charts. Alone in this file, so that they can be started before anything else of a chart is
// here.

// Charts of one screen are drawn at the same time on the least machine that has two cores.
const WORKERS = 2;
const workers: Worker[] = [];

export const canUseWorkers =
  typeof OffscreenCanvas === "function" && "transferControlToOffscreen" in HTMLCanvasElement.prototype;

/** Starts them before they have anything to draw; it takes a while. */
export function warmUp(): readonly Worker[] {
  while (canUseWorkers && workers.length < WORKERS)
    workers.push(new Worker(new URL("./painter.worker.ts", import.meta.url), { type: "module" }));
  return workers;
}
