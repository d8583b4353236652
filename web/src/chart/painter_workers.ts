// The workers that draw charts. In a file of its own, so that they can start before the code of charts is loaded.

// Two charts of a screen are drawn at the same time, even on a machine with two cores.
const WORKERS = 2;
const workers: Worker[] = [];

export const canUseWorkers =
  typeof OffscreenCanvas === "function" && "transferControlToOffscreen" in HTMLCanvasElement.prototype;

/** Starts the workers before there is anything to draw, because starting takes a while. */
export function warmUp(): readonly Worker[] {
  while (canUseWorkers && workers.length < WORKERS)
    workers.push(new Worker(new URL("./painter.worker.ts", import.meta.url), { type: "module" }));
  return workers;
}
