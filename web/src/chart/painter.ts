// The page's side of drawing: a handle for each canvas, drawn by one of two workers.

import type { Drawing } from "./draw_lines";
import type { Frame, Series } from "./model";
import { isSameStrokes, packLines, packStrokes } from "./line_buffer";
import { canUseWorkers, warmUp } from "./painter_workers";
import { type Drawn, type Message, CanvasRenderer } from "./canvas_renderer";

export interface Painting {
  /** Returns the number of this drawing; `onDrawn` is called with it once it, or a newer one, is on the screen. */
  draw(drawing: Drawing, frame: Frame): number;
  dispose(): void;
}

const listeners = new Map<number, (number: number) => void>();
const tell = (drawn: readonly Drawn[]): void => {
  for (const { id, number } of drawn) listeners.get(id)?.(number);
};

let local: CanvasRenderer | null = null;
let lastId = 0;

/**
 * Messages to a worker. Messages of one task are sent together: otherwise the worker would draw the first one alone,
 * and the others a frame later.
 */
class WorkerMessages {
  #messages: Message[] = [];
  #transfer: Transferable[] = [];

  constructor(private readonly worker: Worker) {
    worker.addEventListener("message", (event: MessageEvent<readonly Drawn[]>) => tell(event.data));
  }

  send(message: Message, transfer: readonly Transferable[] = []): void {
    if (this.#messages.push(message) === 1) queueMicrotask(() => this.#post());
    this.#transfer.push(...transfer);
  }

  #post(): void {
    this.worker.postMessage(this.#messages, this.#transfer);
    this.#messages = [];
    this.#transfer = [];
  }
}

const messagesByWorker = new WeakMap<Worker, WorkerMessages>();

function messagesFor(id: number): WorkerMessages {
  const workers = warmUp();
  const worker = workers[id % workers.length] as Worker;
  let messages = messagesByWorker.get(worker);
  if (!messages) messagesByWorker.set(worker, (messages = new WorkerMessages(worker)));
  return messages;
}

/** How many lines at the beginning are the same as before. */
function countKept(series: readonly Series[], before: readonly Series[]): number {
  const different = series.findIndex((line, i) => line !== before[i]);
  return different < 0 ? series.length : different;
}

/** A canvas can be painted only once: its control moves to the worker for good. */
export function startPainting(canvas: HTMLCanvasElement, onDrawn: (number: number) => void): Painting {
  const id = ++lastId;
  let number = 0;
  listeners.set(id, onDrawn);
  if (canUseWorkers) {
    const messages = messagesFor(id);
    const offscreen = canvas.transferControlToOffscreen();
    messages.send({ type: "attach", id, canvas: offscreen }, [offscreen]);
    let shown: Drawing = { series: [], strokes: [], areas: [] };
    return {
      draw: ({ series, strokes, areas }, frame) => {
        const kept = countKept(series, shown.series);
        const packed = series === shown.series ? null : packLines(series.slice(kept));
        const isRestroked = !isSameStrokes(strokes, shown.strokes);
        const message: Message = {
          type: "draw",
          id,
          number: ++number,
          frame,
          ...(packed && { series: packed, kept }),
          ...(isRestroked && { strokes: packStrokes(strokes) }),
          ...(areas !== shown.areas && { areas }),
        };
        messages.send(message, packed ? [packed.buffer, packed.layout.buffer] : []);
        shown = { series, strokes, areas };
        return number;
      },
      dispose: () => {
        listeners.delete(id);
        messages.send({ type: "detach", id });
      },
    };
  }
  const renderer = (local ??= new CanvasRenderer(tell));
  renderer.attach(id, canvas);
  return {
    draw: (drawing, frame) => {
      renderer.draw(id, ++number, frame, drawing);
      return number;
    },
    dispose: () => {
      listeners.delete(id);
      renderer.detach(id);
    },
  };
}
