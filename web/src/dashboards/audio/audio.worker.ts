// The worker that sound_worker.ts starts: decodes, measures and transforms sound.

import { decodePcm } from "./decode_pcm";
import { measureSound } from "./measure";
import type { Sound } from "./sound";
import { spectrum } from "./spectrogram";
import type { ResultMessage, Task, TaskMessage } from "./sound_worker";

const buffersOf = ({ channels, peaks }: Sound): ArrayBufferLike[] => [
  ...channels.map(({ buffer }) => buffer),
  ...peaks.flatMap(({ min, max }) => [min.buffer, max.buffer]),
];

function perform(task: Task): [Sound | Uint8ClampedArray<ArrayBuffer>, ArrayBufferLike[]] {
  switch (task.type) {
    case "decode": {
      const sound = measureSound(decodePcm(task.bytes, task.layout, task.channels, task.frames), task.sampleRate);
      return [sound, buffersOf(sound)];
    }
    case "measure": {
      const sound = measureSound(task.channels, task.sampleRate);
      return [sound, buffersOf(sound)];
    }
    case "spectrum": {
      const levels = spectrum(task.question);
      return [levels, [levels.buffer]];
    }
    default:
      return task satisfies never;
  }
}

addEventListener("message", ({ data: { id, task } }: MessageEvent<TaskMessage>) => {
  const reply = (message: ResultMessage, buffers: ArrayBufferLike[] = []): void =>
    postMessage(message, { transfer: buffers as ArrayBuffer[] });
  try {
    const [result, buffers] = perform(task);
    reply({ id, result }, buffers);
  } catch (cause) {
    reply({ id, error: cause instanceof Error ? cause.message : String(cause) });
  }
});
