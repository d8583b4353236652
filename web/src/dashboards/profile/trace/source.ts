// Where a trace's answers come from: the server, or a test.

import type { EventInfo, EventRef, Found, Gaps, Match, SearchIn, SearchMode } from "../answer";
import type { CounterPoints, Flows, Slices, StripAnswer } from "./answer";

export type Direction =
  "next" | "previous" | "parent" | "child" | "same name next" | "same name previous" | "launch" | "kernel";

export interface SearchQuery {
  readonly q: string;
  readonly in: SearchIn;
  readonly mode: SearchMode;
}

/** A range of time at a number of pixels. */
export interface Extent {
  readonly from_ps: number;
  readonly to_ps: number;
  readonly width: number;
}

export interface TraceSource {
  slices(asked: Extent & Partial<SearchQuery> & { tracks: readonly number[] }, signal: AbortSignal): Promise<Slices>;
  counters(asked: Extent & { counters: readonly number[] }, signal: AbortSignal): Promise<CounterPoints>;
  strip(width: number, signal: AbortSignal): Promise<StripAnswer>;
  flows(asked: Extent & { tracks: readonly number[]; event: number | null }, signal: AbortSignal): Promise<Flows>;
  event(event: number, signal: AbortSignal): Promise<EventInfo>;
  /** The event that follows; null: there is none. */
  step(event: number, direction: Direction, signal?: AbortSignal): Promise<EventRef | null>;
  /** The event at a moment in one row, as inside a merged block. */
  at(track: number, depth: number, time_ps: number, within_ps: number, signal?: AbortSignal): Promise<EventRef | null>;
  search(query: SearchQuery, width: number, signal: AbortSignal): Promise<Found>;
  /** The match after or before an event, or after or before a moment. */
  match(
    query: SearchQuery,
    from: { event: number | null; from_ps: number },
    direction: "next" | "previous",
  ): Promise<Match>;
  gaps(
    asked: { from_ps: number; to_ps: number; min_ps: number; limit: number; tracks: readonly number[] | null },
    signal: AbortSignal,
  ): Promise<Gaps>;
}
