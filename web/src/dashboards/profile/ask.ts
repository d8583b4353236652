// Requests of the Profile dashboard.

import type { Client } from "../../api/client";
import type { components } from "../../api/types.gen";
import { readBlocks } from "../named_blocks";
import type {
  Advice,
  Blocks,
  Buffers,
  Comparison,
  EventRef,
  FoundEvent,
  InputPipeline,
  Memory,
  Ops,
  Overview,
  Place,
  SessionFile,
  SessionList,
  SessionRef,
  Steps,
  Sums,
  SumsBy,
  Tree,
  Workers,
} from "./answer";
import type { Flows, Slices } from "./trace/answer";
import type { OpsBy, TreeBy } from "./options";
import type { TraceSource } from "./trace/source";

/** The job that converts a profile; its result is an `About`. */
export const OPEN = "profile.open";

export const listSessions = (client: Client, signal?: AbortSignal): Promise<SessionList> =>
  client.ask("profile", {}, signal);

/** Sends a file for this page only. */
export const sendFile = (client: Client, file: File, signal?: AbortSignal): Promise<SessionFile> =>
  client.upload("profile/file", { name: file.name }, file, signal);

/** What a timeline asks about one profile. */
export const sourceOf = (client: Client, session: SessionRef): TraceSource => ({
  slices: async (asked, signal) => {
    const { head, ints, uints, floats64 } = readBlocks<Pick<Slices, "labels" | "modules">>(
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
      modules: head.modules,
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
    const { head, ints, floats64 } = readBlocks<Pick<Flows, "kinds">>(
      await client.binary("profile/flows", { session, ...asked }, signal),
    );
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
      kinds: head.kinds,
    };
  },
  event: (event, signal) => client.askBody("profile/event", { session, event }, signal),
  step: async (event, direction, signal) =>
    (await client.askBody<FoundEvent>("profile/step_event", { session, event, direction }, signal)).ref,
  at: async (track, depth, time_ps, within_ps, signal) =>
    (await client.askBody<FoundEvent>("profile/at", { session, track, depth, time_ps, within_ps }, signal)).ref,
  search: async (query, width, signal) => {
    const { head, ints } = readBlocks<{ readonly count: number; readonly first: EventRef | null }>(
      await client.binary("profile/search", { session, ...query, width }, signal),
    );
    return { count: head.count, first: head.first, pixel: ints("pixel"), marks: ints("count") };
  },
  match: (query, from, direction) => client.askBody("profile/match", { session, ...query, ...from, direction }),
  gaps: (asked, signal) => client.askBody("profile/gaps", { session, ...asked }, signal),
});

export interface SumsQuery {
  readonly session: SessionRef;
  readonly from_ps: number;
  readonly to_ps: number;
  readonly by: SumsBy;
  /** Null: all. */
  readonly tracks: readonly number[] | null;
  readonly place: Place | null;
  readonly limit: number;
}
export const loadSums = (client: Client, query: SumsQuery, signal?: AbortSignal): Promise<Sums> =>
  client.askBody("profile/sums", { ...query, format: "json" }, signal);
export const exportSums = async (client: Client, query: SumsQuery): Promise<Blob> =>
  (await client.post("profile/sums", { ...query, format: "csv" })).blob();

export interface PathQuery {
  readonly session: SessionRef;
  readonly from_ps: number;
  readonly to_ps: number;
}
export const loadPath = (
  client: Client,
  query: PathQuery,
  signal?: AbortSignal,
): Promise<components["schemas"]["PathAnswer"]> => client.askBody("profile/path", query, signal);
export const loadOverview = (client: Client, session: SessionRef, signal?: AbortSignal): Promise<Overview> =>
  client.askBody("profile/overview", { session }, signal);
export interface StepsQuery {
  readonly session: SessionRef;
  /** Those that begin in it. */
  readonly from_ps: number;
  readonly to_ps: number;
}
export const loadSteps = (client: Client, query: StepsQuery, signal?: AbortSignal): Promise<Steps> =>
  client.askBody("profile/steps", query, signal);
/** All steps, however many these are. */
export const exportSteps = async (client: Client, session: SessionRef): Promise<Blob> =>
  (await client.post("profile/steps", { session, format: "csv" })).blob();
export const loadAdvice = (client: Client, session: SessionRef, signal?: AbortSignal): Promise<Advice> =>
  client.askBody("profile/advice", { session }, signal);
export const loadInput = (client: Client, session: SessionRef, signal?: AbortSignal): Promise<InputPipeline> =>
  client.askBody("profile/input", { session }, signal);
export const loadWorkers = (client: Client, session: SessionRef, signal?: AbortSignal): Promise<Workers> =>
  client.askBody("profile/workers", { session }, signal);
export const loadMemory = (client: Client, session: SessionRef, signal?: AbortSignal): Promise<Memory> =>
  client.askBody("profile/memory", { session, points: 600 }, signal);
export interface MemoryQuery {
  readonly session: SessionRef;
  /** Null: that with the highest peak. */
  readonly curve: number | null;
  /** Null: at the peak. */
  readonly at_ps: number | null;
}
export const loadMoment = (client: Client, query: MemoryQuery, signal?: AbortSignal): Promise<Memory> =>
  client.askBody("profile/memory", { ...query, points: 2_000 }, signal);
export interface BlocksQuery {
  readonly session: SessionRef;
  readonly curve: number;
  /** Null: the whole profile. */
  readonly from_ps: number | null;
  readonly to_ps: number | null;
}
export const loadBlocks = (client: Client, query: BlocksQuery, signal?: AbortSignal): Promise<Blocks> =>
  client.askBody("profile/memory/blocks", { ...query, limit: 2_000, points: 2_000 }, signal);
export const loadBuffers = (client: Client, session: SessionRef, signal?: AbortSignal): Promise<Buffers> =>
  client.askBody("profile/memory/buffers", { session }, signal);
export type TreeQuery = { readonly session: SessionRef; readonly by: TreeBy } & (
  | { readonly of: "time"; readonly place: Place | null }
  | { readonly of: "memory"; readonly curve: number | null; readonly at_ps: number | null }
);
export const loadTree = (client: Client, query: TreeQuery, signal?: AbortSignal): Promise<Tree> =>
  client.askBody("profile/tree", query, signal);

export const loadComparison = (
  client: Client,
  query: {
    readonly before: SessionRef;
    readonly after: SessionRef;
    /** Null: an average one. */
    readonly before_step: number | null;
    readonly after_step: number | null;
  },
  signal?: AbortSignal,
): Promise<Comparison> => client.askBody("profile/compare", query, signal);
export interface OpsQuery {
  readonly session: SessionRef;
  readonly by: OpsBy;
  /** Null: everywhere. */
  readonly place: Place | null;
  /** Also the time in which no op ran. */
  readonly with_idle?: boolean;
}
export const loadOps = (client: Client, query: OpsQuery, signal?: AbortSignal): Promise<Ops> =>
  client.askBody("profile/ops", query, signal);
export const loadKernels = (
  client: Client,
  session: SessionRef,
  signal?: AbortSignal,
): Promise<components["schemas"]["KernelsAnswer"]> => client.askBody("profile/kernels", { session }, signal);
