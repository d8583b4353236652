// Loads images and animations, ready to draw, with their stored values. Nothing is decoded on the main thread: the
// browser decodes images, workers decode animations and stored values.

import { ApiError, loadAddress } from "../../../api/http";
import { failureOf, toBitmap } from "./files";
import type { Answers, Failure, FromWorker, Question, FrameList, ToWorker } from "./messages";
import { type PictureHead, readHead } from "./picture_head";
import type { Pixels } from "./png";

export type { Pixels };

export interface Decoded extends Omit<PictureHead, "format"> {
  /** Of a moving one the first frame. */
  readonly bitmap: ImageBitmap;
  /** How many files the value has that this one is of. */
  readonly files: number;
  /** The stored values of one pixel, one a channel: of 16 bits where the file has them, of a palette its colour. */
  pixel(x: number, y: number): Promise<number[]>;
  /** Those of all pixels. */
  pixels(): Promise<Pixels>;
}

/** A picture that moves, to be drawn frame by frame. Close it; its file is kept until then. */
export interface Animation extends FrameList {
  frame(index: number, signal?: AbortSignal): Promise<ImageBitmap>;
  close(): void;
}

const WORKERS = Math.min(4, Math.max(1, globalThis.navigator?.hardwareConcurrency ?? 2));
// Stored values are read only for the image under the pointer, so few are needed at a time.
const KEPT_PIXELS = 4;

interface Waiting {
  readonly done: (value: never) => void;
  readonly fail: (cause: unknown) => void;
}

class DecodeWorker {
  readonly #worker = new Worker(new URL("./decode.worker.ts", import.meta.url), { type: "module" });
  readonly #waiting = new Map<number, Waiting>();

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ("failure" in data) waiting?.fail(errorOf(data.failure));
      else if (waiting) waiting.done(data.value as never);
      else if (data.value instanceof ImageBitmap) data.value.close();
    });
    this.#worker.addEventListener("error", () => {
      for (const { fail } of this.#waiting.values())
        fail(new ApiError("undecodable", "The image decoder crashed. Reload the page."));
      this.#waiting.clear();
    });
  }

  get load(): number {
    return this.#waiting.size;
  }

  ask<K extends keyof Answers>(question: Question & { kind: K }, signal?: AbortSignal): Promise<Answers[K]> {
    signal?.throwIfAborted();
    const id = ++lastId;
    return new Promise<Answers[K]>((done, fail) => {
      const cancel = (): void => {
        this.#waiting.delete(id);
        this.#worker.postMessage({ id, question: null } satisfies ToWorker);
        fail(signal?.reason);
      };
      const end =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          signal?.removeEventListener("abort", cancel);
          then(value);
        };
      signal?.addEventListener("abort", cancel, { once: true });
      this.#waiting.set(id, { done: end(done), fail: end(fail) });
      this.#worker.postMessage({ id, question } satisfies ToWorker);
    });
  }
}

const workers: DecodeWorker[] = [];
let lastId = 0;
let lastAnimation = 0;

/** The least busy worker; starts another only when all are busy. */
function freeWorker(): DecodeWorker {
  const least = workers.reduce<DecodeWorker | null>(
    (best, worker) => (best && best.load <= worker.load ? best : worker),
    null,
  );
  if (least && (least.load === 0 || workers.length >= WORKERS)) return least;
  const worker = new DecodeWorker();
  workers.push(worker);
  return worker;
}

const errorOf = ({ code, message, where, httpStatus }: Failure): ApiError =>
  new ApiError(code, message, where, httpStatus);

/** Rejects with an ApiError that says what is wrong with the file. */
export async function decodeImage(url: string, signal: AbortSignal): Promise<Decoded> {
  const { head, bitmap, files } = await readPicture(url, signal).catch((cause: unknown) => {
    throw signal.aborted ? cause : errorOf(failureOf(cause));
  });
  const { width, height, bitDepth, channels, isAnimated } = head;
  const pixels = (): Promise<Pixels> => readPixels(url);
  const pixel = async (x: number, y: number): Promise<number[]> => pixelOf(await pixels(), x, y);
  return { bitmap, width, height, bitDepth, channels, isAnimated, files, pixel, pixels };
}

async function readPicture(
  url: string,
  signal: AbortSignal,
): Promise<{ head: PictureHead; bitmap: ImageBitmap; files: number }> {
  const response = await loadAddress(url, signal);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const head = readHead(bytes);
  return { head, bitmap: await toBitmap(bytes, head), files: Number(response.headers.get("x-runglass-samples") ?? 1) };
}

export function pixelOf({ values, width, channels }: Pixels, x: number, y: number): number[] {
  const at = (y * width + x) * channels;
  return Array.from(values.subarray(at, at + channels));
}

const kept = new Map<string, Promise<Pixels>>();

function readPixels(url: string): Promise<Pixels> {
  const known = kept.get(url) ?? freeWorker().ask({ kind: "pixels", url });
  kept.delete(url);
  kept.set(url, known);
  known.catch(() => kept.delete(url));
  for (const oldest of kept.keys()) if (kept.size > KEPT_PIXELS) kept.delete(oldest);
  return known;
}

export async function openAnimation(url: string, signal: AbortSignal): Promise<Animation> {
  const worker = freeWorker();
  const animation = ++lastAnimation;
  const close = (): void => void worker.ask({ kind: "close", animation });
  // Aborting while it opens closes it too.
  signal.addEventListener("abort", close, { once: true });
  const frameList = await worker
    .ask({ kind: "open", url, animation }, signal)
    .finally(() => signal.removeEventListener("abort", close));
  return { ...frameList, frame: (index, until) => worker.ask({ kind: "frame", animation, index }, until), close };
}
