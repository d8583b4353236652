// One trace as it is looked at: the visible time, which tracks are shown and how, what is selected and marked. The page
// sets what the address says and what the user chooses; the scene draws it. Created in a component and ends with it.

import type { About, EventInfo } from "./answer";
import type { ColorBy, Theme } from "./colors";
import type { SearchIn, SearchMode, TraceSource } from "./source";

/** A range of time, in picoseconds from the trace's origin. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const ARROWS = ["selected", "all"] as const;
export type Arrows = (typeof ARROWS)[number];

/** The event under the pointer, or a block of many. */
export interface Hovered {
  readonly event: number;
  readonly track: number;
  readonly depth: number;
  readonly name: string;
  readonly start: number;
  readonly duration: number;
  readonly count: number;
}

interface TimelineOptions {
  /** Null: nothing is open. Another object: another trace. */
  readonly source: () => TraceSource | null;
  readonly about: () => About | null;
  readonly theme: () => Theme;
}

const NOTHING: ReadonlySet<string> = new Set();

export class Timeline {
  // All sets, lists and ranges are raw: replaced, never edited.
  /** The visible time. */
  view = $state.raw<Span>({ from: 0, to: 1 });
  /** The event in the details; null: none. */
  selected = $state<number | null>(null);
  hovered = $state.raw<Hovered | null>(null);
  range = $state.raw<Span | null>(null);
  /** Compared with the first. */
  secondRange = $state.raw<Span | null>(null);
  /** Moments that the user marked, ascending. */
  marks = $state.raw<readonly number[]>([]);
  colorBy = $state<ColorBy>("category");
  arrows = $state<Arrows>("selected");
  /** Device idle time is hatched and named from this length on; null: never. */
  minGap = $state<number | null>(100_000_000);
  q = $state("");
  searchIn = $state<SearchIn>("all");
  searchMode = $state<SearchMode>("text");

  // Groups and tracks, by keys that other traces of the same program have as well (rows.ts).
  collapsed = $state.raw<ReadonlySet<string>>(NOTHING);
  /** Folds of quiet threads that were opened. */
  opened = $state.raw<ReadonlySet<string>>(NOTHING);
  pinned = $state.raw<ReadonlySet<string>>(NOTHING);
  hidden = $state.raw<ReadonlySet<string>>(NOTHING);
  /** Keys that the user moved, in their order. */
  order = $state.raw<readonly string[]>([]);
  trackFilter = $state("");

  /** All about the selected event, for the details; null: none, or on its way. */
  info = $state.raw<EventInfo | null>(null);

  constructor(private readonly options: TimelineOptions) {}

  readonly about = $derived.by((): About | null => this.options.about());
  readonly source = $derived.by((): TraceSource | null => this.options.source());
  readonly theme = $derived.by((): Theme => this.options.theme());
}
