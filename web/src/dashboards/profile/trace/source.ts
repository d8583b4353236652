// Where a trace's answers come from: the server, or a test.

import type { Client } from "../../../api/client";
import { readBlocks } from "../../named_blocks";
import type {
  CounterPoints,
  EventInfo,
  EventRef,
  Flows,
  GapsAnswer,
  SearchAnswer,
  SessionRef,
  Slices,
  StripAnswer,
} from "./answer";

export type Direction = "next" | "previous" | "parent" | "child" | "same name next" | "same name previous";
export type SearchIn = "all" | "names" | "arguments";
export type SearchMode = "text" | "pattern";

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
  slices(asked: Extent & { tracks: readonly number[]; q: string | null }, signal: AbortSignal): Promise<Slices>;
  counters(asked: Extent & { counters: readonly number[] }, signal: AbortSignal): Promise<CounterPoints>;
  strip(width: number, signal: AbortSignal): Promise<StripAnswer>;
  flows(asked: Extent & { tracks: readonly number[]; event: number | null }, signal: AbortSignal): Promise<Flows>;
  event(event: number, signal: AbortSignal): Promise<EventInfo>;
  /** The event that follows; null: there is none. */
  step(event: number, direction: Direction, signal?: AbortSignal): Promise<EventRef | null>;
  /** The event at a moment in one row, as inside a merged block. */
  at(track: number, depth: number, time_ps: number, signal?: AbortSignal): Promise<EventRef | null>;
  search(query: SearchQuery, width: number, signal: AbortSignal): Promise<SearchAnswer>;
  gaps(
    asked: { from_ps: number; to_ps: number; min_ps: number; limit: number },
    signal: AbortSignal,
  ): Promise<GapsAnswer>;
}

export const sourceOf = (client: Client, session: SessionRef): TraceSource => ({
  slices: async (asked, signal) => {
    const { head, ints, uints, floats64 } = readBlocks<{ readonly labels: readonly string[] }>(
      await client.binary("profile/slices", { session, ...asked }, signal),
    );
    return {
      track: ints("track"),
      depth: ints("depth"),
      event: ints("event"),
      name: ints("name"),
      category: ints("category"),
      step: ints("step"),
      module: ints("module"),
      count: ints("count"),
      hash: uints("hash"),
      start: floats64("start"),
      duration: floats64("duration"),
      busy: floats64("busy"),
      matches: ints("matches"),
      label: ints("label"),
      labels: head.labels,
    };
  },
  counters: async (asked, signal) => {
    const { ints, floats64 } = readBlocks(await client.binary("profile/counters", { session, ...asked }, signal));
    return {
      counter: ints("counter"),
      time: floats64("time"),
      low: floats64("low"),
      high: floats64("high"),
      last: floats64("last"),
    };
  },
  strip: async (width, signal) => {
    const { head, ints, floats64 } = readBlocks<{ readonly busy: number | null }>(
      await client.binary("profile/strip", { session, width }, signal),
    );
    return {
      place: ints("place"),
      category: ints("category"),
      pixel: ints("pixel"),
      share: floats64("share"),
      busy: head.busy,
    };
  },
  flows: async (asked, signal) => {
    const { ints, floats64 } = readBlocks(await client.binary("profile/flows", { session, ...asked }, signal));
    return {
      from_event: ints("from_event"),
      to_event: ints("to_event"),
      from_track: ints("from_track"),
      from_depth: ints("from_depth"),
      to_track: ints("to_track"),
      to_depth: ints("to_depth"),
      kind: ints("kind"),
      from_time: floats64("from_time"),
      to_time: floats64("to_time"),
    };
  },
  event: (event, signal) => client.askBody("profile/event", { session, event }, signal),
  step: (event, direction, signal) => client.askBody("profile/step_event", { session, event, direction }, signal),
  at: (track, depth, time_ps, signal) =>
    client.askBody("profile/at", { session, track, depth, time_ps: Math.round(time_ps) }, signal),
  search: async (query, width, signal) => {
    const { head, ints } = readBlocks<{ readonly count: number; readonly first: EventRef | null }>(
      await client.binary("profile/search", { session, ...query, width }, signal),
    );
    return { count: head.count, first: head.first, pixel: ints("pixel"), marks: ints("count") };
  },
  gaps: (asked, signal) => client.askBody("profile/gaps", { session, ...asked }, signal),
});
