// The page's end of the audio worker: samples are decoded, measured and transformed there, away from what the user
// touches.

import type { SampleLayout, Sound } from "./sound";
import type { SpectrumQuestion } from "./spectrogram";

export type Work =
  | {
      readonly type: "decode";
      readonly bytes: ArrayBuffer;
      readonly layout: SampleLayout;
      readonly channels: number;
      readonly frames: number;
      readonly sampleRate: number;
    }
  | { readonly type: "measure"; readonly channels: readonly Float32Array[]; readonly sampleRate: number }
  | { readonly type: "spectrum"; readonly question: SpectrumQuestion };
type Result<W extends Work> = W extends { type: "spectrum" } ? Uint8ClampedArray<ArrayBuffer> : Sound;

export interface Order {
  readonly id: number;
  readonly work: Work;
}
export type Outcome =
  { readonly id: number; readonly result: Result<Work> } | { readonly id: number; readonly error: string };

interface Waiting {
  readonly done: (result: never) => void;
  readonly failed: (cause: Error) => void;
}

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, Waiting>();

function hear({ data }: MessageEvent<Outcome>): void {
  const { done, failed } = waiting.get(data.id) as Waiting;
  waiting.delete(data.id);
  if ("error" in data) failed(new Error(data.error));
  else done(data.result as never);
}

/** What is in `transfer` is gone from this side. */
export function order<W extends Work>(work: W, transfer: Transferable[] = []): Promise<Result<W>> {
  if (!worker) {
    worker = new Worker(new URL("./audio.worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", hear);
  }
  const id = ++lastId;
  worker.postMessage({ id, work } satisfies Order, transfer);
  return new Promise((done, failed) => waiting.set(id, { done, failed }));
}
