// The page's end of drawing: a handle for each canvas, drawn by one of two workers.

import type { Drawing } from "./draw_lines";
import type { Frame, Series } from "./model";
import { isSameStrokes, packSeries, packStrokes } from "./parcel";
import { canUseWorkers, warmUp } from "./painter_workers";
import { type Drawn, type Message, Studio } from "./studio";

export interface Painting {
  /** Returns the number of this drawing; `onDrawn` hears it once it (or a newer one) is on screen. */
  draw(drawing: Drawing, frame: Frame): number;
  dispose(): void;
}

const listeners = new Map<number, (number: number) => void>();
const tell = ({ id, number }: Drawn): void => listeners.get(id)?.(number);

let local: Studio | null = null;
let lastId = 0;

const heard = new WeakSet<Worker>();

function workerFor(id: number): Worker {
  const workers = warmUp();
  const worker = workers[id % workers.length] as Worker;
  if (!heard.has(worker)) worker.addEventListener("message", (event: MessageEvent<Drawn>) => tell(event.data));
  heard.add(worker);
  return worker;
}

/** How many lines at the beginning are the same as before. */
function countKept(series: readonly Series[], before: readonly Series[]): number {
  const different = series.findIndex((line, i) => line !== before[i]);
  return different < 0 ? series.length : different;
}

/** A canvas can be painted once in its life: its control goes to the worker for good. */
export function startPainting(canvas: HTMLCanvasElement, onDrawn: (number: number) => void): Painting {
  const id = ++lastId;
  let number = 0;
  listeners.set(id, onDrawn);
  if (canUseWorkers) {
    const worker = workerFor(id);
    const send = (message: Message, transfer: Transferable[] = []): void => worker.postMessage(message, transfer);
    const offscreen = canvas.transferControlToOffscreen();
    send({ type: "attach", id, canvas: offscreen }, [offscreen]);
    let shown: Drawing = { series: [], strokes: [], areas: [] };
    return {
      draw: ({ series, strokes, areas }, frame) => {
        const kept = countKept(series, shown.series);
        const parcel = series === shown.series ? null : packSeries(series.slice(kept));
        const isRestroked = !isSameStrokes(strokes, shown.strokes);
        const message: Message = {
          type: "draw", id, number: ++number, frame,
          ...(parcel && { series: parcel, kept }),
          ...(isRestroked && { strokes: packStrokes(strokes) }),
          ...(areas !== shown.areas && { areas }),
        };
        send(message, parcel ? [parcel.buffer, parcel.layout.buffer] : []);
        shown = { series, strokes, areas };
        return number;
      },
      dispose: () => {
        listeners.delete(id);
        send({ type: "detach", id });
      },
    };
  }
  const studio = (local ??= new Studio(tell));
  studio.attach(id, canvas);
  return {
    draw: (drawing, frame) => {
      studio.draw(id, ++number, frame, drawing);
      return number;
    },
    dispose: () => {
      listeners.delete(id);
      studio.detach(id);
    },
  };
}
