// The types of scalar lines: what a card shows, what it requests, and its lines.

import type { BandsQuery, LinesQuery } from "../api/types";
import type { Series } from "../chart/model";
import type { Range, Smoothing } from "../state/view/view";
import type { RunSet } from "../cards/run_sets";

/** What a card shows: one tag, or the tags of a panel. Its id is the tag or the panel's id. */
export interface CardSpec {
  readonly id: string;
  readonly tags: readonly string[];
  /** The tags on the right axis. */
  readonly right: readonly string[];
}

/** The pointer finds `smoothed` and `center`; the others are drawn behind them. */
export type LineRole = "smoothed" | "raw" | "earlier" | "center";

export interface CardLine {
  /** The run, or the label of the group for `center`. */
  readonly run: string;
  readonly tag: string;
  readonly role: LineRole;
  readonly generation: number;
  /** Points in the requested range before reduction; for `center`, the runs in the group. */
  readonly total: number;
  readonly series: Series;
}

/** The spread of a group around its center line. */
export interface CardBand {
  readonly group: string;
  readonly tag: string;
  readonly low: Series;
  readonly high: Series;
  /** The number of runs at every x. */
  readonly count: Series;
}

/** What a card requests. Questions with equal keys have equal answers at the same generation. */
export interface Question {
  readonly key: string;
  /** Of everything except runs, range and width. */
  readonly plotKey: string;
  /** Of range and width; the coarser request for a crowd of runs counts as the same. */
  readonly stretchKey: string;
  /** Of everything except the smoothing. */
  readonly unsmoothedKey: string;
  /** Of everything except the tags: questions with equal keys can share a request. */
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
  /** The server's generation at the time of the request. */
  readonly generation: number;
  /** Lines that the pointer does not find come first: see `firstFound`. */
  readonly lines: readonly CardLine[];
  readonly firstFound: number;
  readonly bands: readonly CardBand[];
  /** No point of any line was left out, so it can show every part of the range. */
  readonly isComplete: boolean;
  readonly sizeBytes: number;
}
