// Pictures and films from an address to what can be drawn, with the numbers they store. Nothing is decoded on the
// page's own thread: pictures are by the browser, films and stored numbers in workers.

import { ApiError, loadAddress } from "../../../api/http";
import { failureOf, toBitmap } from "./files";
import type { Answers, Failure, FromWorker, Question, Strip, ToWorker } from "./messages";
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
export interface Film extends Strip {
  frame(index: number, signal?: AbortSignal): Promise<ImageBitmap>;
  close(): void;
}

const WORKERS = Math.min(4, Math.max(1, globalThis.navigator?.hardwareConcurrency ?? 2));
// Pixels are read where somebody points at, so that few pictures at a time have theirs here.
const KEPT_PIXELS = 4;

interface Waiting {
  readonly done: (value: never) => void;
  readonly fail: (cause: unknown) => void;
}

class Hand {
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
        fail(new ApiError("undecodable", "The part of the page that decodes pictures has failed. Reload the page."));
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

const hands: Hand[] = [];
let lastId = 0;
let lastFilm = 0;

/** The one with the least to do; another one is only started when all have something. */
function freeHand(): Hand {
  const least = hands.reduce<Hand | null>((best, hand) => (best && best.load <= hand.load ? best : hand), null);
  if (least && (least.load === 0 || hands.length >= WORKERS)) return least;
  const hand = new Hand();
  hands.push(hand);
  return hand;
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
  const known = kept.get(url) ?? freeHand().ask({ kind: "pixels", url });
  kept.delete(url);
  kept.set(url, known);
  known.catch(() => kept.delete(url));
  for (const oldest of kept.keys()) if (kept.size > KEPT_PIXELS) kept.delete(oldest);
  return known;
}

export async function openFilm(url: string, signal: AbortSignal): Promise<Film> {
  const hand = freeHand();
  const film = ++lastFilm;
  const close = (): void => void hand.ask({ kind: "close", film });
  // Of one that is given up while it is opened, nothing stays either.
  signal.addEventListener("abort", close, { once: true });
  const strip = await hand
    .ask({ kind: "open", url, film }, signal)
    .finally(() => signal.removeEventListener("abort", close));
  return { ...strip, frame: (index, until) => hand.ask({ kind: "frame", film, index }, until), close };
}
