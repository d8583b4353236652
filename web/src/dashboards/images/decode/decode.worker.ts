// The worker that decode.ts starts: reads stored pixel values, and animations frame by frame.

import { loadAddress } from "../../../api/http";
import { failureOf, toBitmap } from "./files";
import { GifDecoder } from "./gif";
import type { Answers, FromWorker, Question, FrameList, ToWorker } from "./messages";
import { type PictureHead, readHead } from "./picture_head";
import { decodePng, type Pixels } from "./png";

interface FrameSource {
  readonly frameList: FrameList;
  frame(index: number): Promise<ImageBitmap>;
  close(): void;
}

const running = new Map<number, AbortController>();
const animations = new Map<number, Promise<FrameSource>>();

addEventListener("message", ({ data: { id, question } }: MessageEvent<ToWorker>) => {
  if (question) void answer(id, question);
  else running.get(id)?.abort();
});

async function answer(id: number, question: Question): Promise<void> {
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const value = await work(question, abort.signal);
    const transfer = movable(value);
    if (!abort.signal.aborted) postMessage({ id, value } satisfies FromWorker, { transfer });
    else for (const each of transfer) if (each instanceof ImageBitmap) each.close();
  } catch (cause) {
    if (!abort.signal.aborted) postMessage({ id, failure: failureOf(cause) } satisfies FromWorker);
  } finally {
    running.delete(id);
  }
}

async function work(question: Question, signal: AbortSignal): Promise<Answers[keyof Answers]> {
  switch (question.kind) {
    case "pixels":
      return readPixels(question.url, signal);
    case "open": {
      const source = openFrames(question.url, signal);
      animations.set(question.animation, source);
      source.catch(() => animations.delete(question.animation));
      return (await source).frameList;
    }
    case "frame": {
      const source = await animations.get(question.animation);
      if (!source) throw new Error("This animation is closed.");
      signal.throwIfAborted();
      return source.frame(question.index);
    }
    case "close":
      void animations.get(question.animation)?.then(
        (source) => source.close(),
        () => {},
      );
      animations.delete(question.animation);
      return null;
  }
}

function movable(value: Answers[keyof Answers]): Transferable[] {
  if (value === null) return [];
  if (value instanceof ImageBitmap) return [value];
  return "values" in value ? [value.values.buffer as ArrayBuffer] : [];
}

const load = async (url: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await (await loadAddress(url, signal)).arrayBuffer());

async function readPixels(url: string, signal: AbortSignal): Promise<Pixels> {
  const bytes = await load(url, signal);
  const head = readHead(bytes);
  if (head.format === "png") return decodePng(bytes);
  const bitmap = await toBitmap(bytes, head, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This browser gives no canvas to read pixels from.");
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const all = context.getImageData(0, 0, width, height).data;
  const { channels } = head;
  const values = new Uint8Array(width * height * channels);
  for (let i = 0; i < width * height; i++)
    for (let channel = 0; channel < channels; channel++)
      values[i * channels + channel] = all[i * 4 + channel] as number;
  return { width, height, channels, bitDepth: 8, values };
}

async function openFrames(url: string, signal: AbortSignal): Promise<FrameSource> {
  const bytes = await load(url, signal);
  const head = readHead(bytes);
  if (head.format === "gif") return gifFrames(bytes);
  return "ImageDecoder" in globalThis ? browserFrames(bytes, head) : stillFrame(bytes, head);
}

function gifFrames(bytes: Uint8Array): FrameSource {
  const decoder = new GifDecoder(bytes);
  const { width, height, frames } = decoder.gif;
  return {
    frameList: { width, height, delaysMs: frames.map(({ delayMs }) => delayMs) },
    frame: (index) => createImageBitmap(new ImageData(decoder.frame(index), width, height)),
    close: () => {},
  };
}

/** Moving WebP and PNG are left to the browser, which offers single frames only where the page came safely. */
async function browserFrames(
  bytes: Uint8Array<ArrayBuffer>,
  { format, width, height }: PictureHead,
): Promise<FrameSource> {
  const decoder = new ImageDecoder({ data: bytes, type: `image/${format}`, preferAnimation: true });
  await Promise.all([decoder.completed, decoder.tracks.ready]);
  const count = decoder.tracks.selectedTrack?.frameCount ?? 1;
  const delaysMs: number[] = [];
  for (let frameIndex = 0; frameIndex < count; frameIndex++) {
    const { image } = await decoder.decode({ frameIndex });
    delaysMs.push((image.duration ?? 100_000) / 1_000);
    image.close();
  }
  return {
    frameList: { width, height, delaysMs },
    frame: async (frameIndex) => {
      const { image } = await decoder.decode({ frameIndex });
      const bitmap = await createImageBitmap(image);
      image.close();
      return bitmap;
    },
    close: () => decoder.close(),
  };
}

async function stillFrame(bytes: Uint8Array<ArrayBuffer>, head: PictureHead): Promise<FrameSource> {
  return {
    frameList: { width: head.width, height: head.height, delaysMs: [100] },
    frame: () => toBitmap(bytes, head),
    close: () => {},
  };
}
