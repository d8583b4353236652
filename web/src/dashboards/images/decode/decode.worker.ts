// The worker's end of decode.ts: reads the numbers that pictures store, and films frame by frame.

import { loadAddress } from "../../../api/http";
import { failureOf, toBitmap } from "./files";
import { GifReel } from "./gif";
import type { Answers, FromWorker, Question, Strip, ToWorker } from "./messages";
import { type PictureHead, readHead } from "./picture_head";
import { decodePng, type Pixels } from "./png";

/** What a film is made of, whoever decodes it. */
interface Reel {
  readonly strip: Strip;
  frame(index: number): Promise<ImageBitmap>;
  close(): void;
}

const running = new Map<number, AbortController>();
const films = new Map<number, Promise<Reel>>();

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
      const reel = openReel(question.url, signal);
      films.set(question.film, reel);
      reel.catch(() => films.delete(question.film));
      return (await reel).strip;
    }
    case "frame": {
      const reel = await films.get(question.film);
      if (!reel) throw new Error("This film is closed.");
      signal.throwIfAborted();
      return reel.frame(question.index);
    }
    case "close":
      void films.get(question.film)?.then(
        (reel) => reel.close(),
        () => {},
      );
      films.delete(question.film);
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

async function openReel(url: string, signal: AbortSignal): Promise<Reel> {
  const bytes = await load(url, signal);
  const head = readHead(bytes);
  if (head.format === "gif") return gifReel(bytes);
  return "ImageDecoder" in globalThis ? browserReel(bytes, head) : stillReel(bytes, head);
}

function gifReel(bytes: Uint8Array): Reel {
  const reel = new GifReel(bytes);
  const { width, height, frames } = reel.gif;
  return {
    strip: { width, height, delaysMs: frames.map(({ delayMs }) => delayMs) },
    frame: (index) => createImageBitmap(new ImageData(reel.frame(index), width, height)),
    close: () => {},
  };
}

/** Moving WebP and PNG are left to the browser, which offers single frames only where the page came safely. */
async function browserReel(bytes: Uint8Array<ArrayBuffer>, { format, width, height }: PictureHead): Promise<Reel> {
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
    strip: { width, height, delaysMs },
    frame: async (frameIndex) => {
      const { image } = await decoder.decode({ frameIndex });
      const bitmap = await createImageBitmap(image);
      image.close();
      return bitmap;
    },
    close: () => decoder.close(),
  };
}

async function stillReel(bytes: Uint8Array<ArrayBuffer>, head: PictureHead): Promise<Reel> {
  return {
    strip: { width: head.width, height: head.height, delaysMs: [100] },
    frame: () => toBitmap(bytes, head),
    close: () => {},
  };
}
