// The words of lines of scalars: what a card is about, what it asks for and what its lines are.

import type { BandsQuery, LinesQuery } from "../api/types";
import type { Series } from "../chart/model";
import type { Range, Smoothing } from "../state/view/view";
import type { RunSet } from "../cards/run_sets";

/** What a card is about: one tag, or the tags of a panel. Its id is the tag or the panel's id. */
export interface CardSpec {
  readonly id: string;
  readonly tags: readonly string[];
  /** Those of the tags that are read on the right axis. */
  readonly right: readonly string[];
}

/** `smoothed` and `center` are what the pointer finds; the others are drawn behind them. */
export type LineRole = "smoothed" | "raw" | "earlier" | "center";

export interface CardLine {
  /** The run, or the label of the group for `center`. */
  readonly run: string;
  readonly tag: string;
  readonly role: LineRole;
  readonly generation: number;
  /** Points in the asked range before reduction; for `center` the runs in the group. */
  readonly total: number;
  readonly series: Series;
}

/** The spread of a group around its center line. */
export interface CardBand {
  readonly group: string;
  readonly tag: string;
  readonly low: Series;
  readonly high: Series;
  /** Runs at every x. */
  readonly count: Series;
}

/** What a card asks for. Two questions with equal keys have the same answer at the same generation. */
export interface Question {
  readonly key: string;
  /** Of everything but runs, range and width. */
  readonly plotKey: string;
  /** Of range and width; a crowd of runs, which is asked for more coarsely, counts as the same. */
  readonly stretchKey: string;
  /** Of everything but the smoothing. */
  readonly unsmoothedKey: string;
  /** Of everything but the tags: questions that share it can be asked at once. */
  readonly batchKey: string;
  readonly runs: RunSet;
  readonly range: Range | null;
  readonly x: string;
  readonly isSmoothed: boolean;
  readonly smoothing: Smoothing;
  readonly body:
    | { readonly kind: "lines"; readonly query: LinesQuery<string> }
    | { readonly kind: "bands"; readonly query: BandsQuery };
}

export interface CardAnswer {
  readonly question: Question;
  /** The server's generation when it was asked for. */
  readonly generation: number;
  /** Those that are only drawn come first: see `firstFound`. */
  readonly lines: readonly CardLine[];
  readonly firstFound: number;
  readonly bands: readonly CardBand[];
  /** No point of any line was left out, so every part of the range can be shown from it. */
  readonly isComplete: boolean;
  readonly sizeBytes: number;
}
