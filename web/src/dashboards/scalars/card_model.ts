// The words of the scalars dashboard: what a card is about and what its lines are.

import type { Series } from "../../chart/model";

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
