// Finds the lines of equal density beside the page's own work: a million points take a while.

import { type Contour, contoursOf } from "./contours";

export interface ContourQuestion {
  readonly turn: number;
  readonly positions: Float32Array;
  readonly rows: Uint32Array;
}

export interface ContourAnswer {
  readonly turn: number;
  readonly contours: readonly Contour[];
}

onmessage = ({ data: { turn, positions, rows } }: MessageEvent<ContourQuestion>): void => {
  const answer: ContourAnswer = { turn, contours: contoursOf(positions, rows) };
  postMessage(answer);
};
