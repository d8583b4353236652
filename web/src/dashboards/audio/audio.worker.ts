// The worker's end of sound_worker.ts.

import { decodeSamples } from "./decode_pcm";
import { measureSound } from "./measure";
import type { Sound } from "./sound";
import { spectrum } from "./spectrogram";
import type { Order, Outcome, Work } from "./sound_worker";

const buffersOf = ({ channels, peaks }: Sound): ArrayBufferLike[] => [
  ...channels.map(({ buffer }) => buffer),
  ...peaks.flatMap(({ min, max }) => [min.buffer, max.buffer]),
];

function perform(work: Work): [Sound | Uint8ClampedArray<ArrayBuffer>, ArrayBufferLike[]] {
  switch (work.type) {
    case "decode": {
      const sound = measureSound(decodeSamples(work.bytes, work.layout, work.channels, work.frames), work.sampleRate);
      return [sound, buffersOf(sound)];
    }
    case "measure": {
      const sound = measureSound(work.channels, work.sampleRate);
      return [sound, buffersOf(sound)];
    }
    case "spectrum": {
      const levels = spectrum(work.question);
      return [levels, [levels.buffer]];
    }
    default:
      return work satisfies never;
  }
}

addEventListener("message", ({ data: { id, work } }: MessageEvent<Order>) => {
  const tell = (outcome: Outcome, buffers: ArrayBufferLike[] = []): void =>
    postMessage(outcome, { transfer: buffers as ArrayBuffer[] });
  try {
    const [result, buffers] = perform(work);
    tell({ id, result }, buffers);
  } catch (cause) {
    tell({ id, error: cause instanceof Error ? cause.message : String(cause) });
  }
});
