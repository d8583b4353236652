// The page's end of audio.worker.ts, which decodes, measures and transforms sound off the main thread.

import type { PcmLayout, Sound } from "./sound";
import type { SpectrumQuestion } from "./spectrogram";

export type Task =
  | {
      readonly type: "decode";
      readonly bytes: ArrayBuffer;
      readonly layout: PcmLayout;
      readonly channels: number;
      readonly frames: number;
      readonly sampleRate: number;
    }
  | { readonly type: "measure"; readonly channels: readonly Float32Array[]; readonly sampleRate: number }
  | { readonly type: "spectrum"; readonly question: SpectrumQuestion };
type Result<T extends Task> = T extends { type: "spectrum" } ? Uint8ClampedArray<ArrayBuffer> : Sound;

export interface TaskMessage {
  readonly id: number;
  readonly task: Task;
}
export type ResultMessage =
  { readonly id: number; readonly result: Result<Task> } | { readonly id: number; readonly error: string };

interface Waiting {
  readonly done: (result: never) => void;
  readonly failed: (cause: Error) => void;
}

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, Waiting>();

function receive({ data }: MessageEvent<ResultMessage>): void {
  const { done, failed } = waiting.get(data.id) as Waiting;
  waiting.delete(data.id);
  if ("error" in data) failed(new Error(data.error));
  else done(data.result as never);
}

/** Buffers in `transfer` move to the worker and are empty here. */
export function runInWorker<T extends Task>(task: T, transfer: Transferable[] = []): Promise<Result<T>> {
  if (!worker) {
    worker = new Worker(new URL("./audio.worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", receive);
  }
  const id = ++lastId;
  worker.postMessage({ id, task } satisfies TaskMessage, transfer);
  return new Promise((done, failed) => waiting.set(id, { done, failed }));
}
