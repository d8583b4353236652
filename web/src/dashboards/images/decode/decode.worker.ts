// The worker's end of decode.ts: fetches files, has them decoded and sends what can be drawn.

import { GifReel } from "./gif";
import type { Answers, Failure, FromWorker, Picture, Question, Strip, ToWorker } from "./messages";
import { cutShort, type PictureHead, readHead } from "./picture_head";
import { decodePng, type Pixels } from "./png";

/** What a film is made of, whoever decodes it. */
interface Reel {
  readonly strip: Strip;
  frame(index: number): Promise<ImageBitmap>;
  close(): void;
}

class Failed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
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
    case "picture":
      return readPicture(question.url, signal);
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
      void films.get(question.film)?.then((reel) => reel.close(), () => {});
      films.delete(question.film);
      return null;
  }
}

function movable(value: Answers[keyof Answers]): Transferable[] {
  if (value === null) return [];
  if (value instanceof ImageBitmap) return [value];
  if ("bitmap" in value) return [value.bitmap];
  return "values" in value ? [value.values.buffer as ArrayBuffer] : [];
}

function failureOf(cause: unknown): Failure {
  if (cause instanceof Failed) return cause.failure;
  return { code: "undecodable", message: cause instanceof Error ? cause.message : String(cause), where: null, httpStatus: 0 };
}

const load = async (url: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await (await ask(url, signal)).arrayBuffer());

async function ask(url: string, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new Failed({ code: "unreachable", message: "The server does not answer. The page keeps trying to reach it.", where: null, httpStatus: 0 });
  }
  if (response.ok) return response;
  const text = await response.text();
  try {
    throw new Failed({ ...(JSON.parse(text) as { error: Omit<Failure, "httpStatus"> }).error, httpStatus: response.status });
  } catch (cause) {
    if (cause instanceof Failed) throw cause;
    throw new Failed({ code: "http", message: `The server answered ${response.status} ${response.statusText}`.trim(), where: null, httpStatus: response.status });
  }
}

async function readPicture(url: string, signal: AbortSignal): Promise<Picture> {
  const response = await ask(url, signal);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const head = readHead(bytes);
  return { ...head, bitmap: await toBitmap(bytes, head), files: Number(response.headers.get("x-runglass-samples") ?? 1) };
}

async function toBitmap(bytes: Uint8Array<ArrayBuffer>, head: PictureHead, options: ImageBitmapOptions = {}): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(new Blob([bytes], { type: `image/${head.format}` }), options);
  } catch {
    // The browser's own words name no reason.
    throw cutShort(head.format);
  }
}

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
  for (let i = 0; i < width * height; i++) for (let channel = 0; channel < channels; channel++) values[i * channels + channel] = all[i * 4 + channel] as number;
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
  return { strip: { width: head.width, height: head.height, delaysMs: [100] }, frame: () => toBitmap(bytes, head), close: () => {} };
}
