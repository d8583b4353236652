// What the page and its decoding workers say to each other: every question has a number, and its answer the same one.

import type { Pixels } from "./png";

/** Frames to be asked for by their index. */
export interface FrameList {
  readonly width: number;
  readonly height: number;
  /** How long each frame is shown. */
  readonly delaysMs: readonly number[];
}

export interface Answers {
  pixels: Pixels;
  open: FrameList;
  frame: ImageBitmap;
  close: null;
}

export type Question =
  | { readonly kind: "pixels"; readonly url: string }
  /** The page numbers its animations. */
  | { readonly kind: "open"; readonly url: string; readonly animation: number }
  | { readonly kind: "frame"; readonly animation: number; readonly index: number }
  | { readonly kind: "close"; readonly animation: number };

export type ToWorker =
  { readonly id: number; readonly question: Question } | { readonly id: number; readonly question: null };

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly where: string | null;
  readonly httpStatus: number;
}

export type FromWorker =
  { readonly id: number; readonly value: Answers[keyof Answers] } | { readonly id: number; readonly failure: Failure };
