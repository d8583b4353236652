// What the routes of Profile answer. Times are in picoseconds from the trace's origin; of a pprof profile, in bytes.

import type { components } from "../../api/types.gen";

/** Which profile: one of a run, or a file that was dropped on the page. */
export type SessionRef = { readonly run: string; readonly session: string } | { readonly file: string };
export type LoggedSession = Extract<SessionRef, { run: string }>;

export interface ListedSession extends LoggedSession {
  readonly kind: string;
  readonly files: readonly string[];
  readonly workers: readonly string[];
  readonly size_bytes: number;
  readonly time_s: number;
  readonly problem: string | null;
  /** Null: not known before it is opened, or it has no steps. */
  readonly first_step: number | null;
  readonly last_step: number | null;
}

export interface SessionList {
  readonly generation: number;
  readonly sessions: readonly ListedSession[];
}

export interface SessionFile {
  readonly file: string;
}

export type TrackKind = "thread" | "python" | "stream" | "async" | "counter" | "instants" | "steps";
export type Place = "host" | "device";
export interface Track {
  readonly id: number;
  readonly process: string;
  readonly process_id: string;
  /** What it is called; `thread` is its name in the file. */
  readonly name: string;
  readonly thread: string;
  readonly thread_id: string;
  readonly kind: TrackKind;
  readonly place: Place;
  readonly device: number | null;
  /** The worker that it ran on. */
  readonly host: string;
  readonly labels: string;
  /** How many rows its nested events need. */
  readonly rows: number;
  readonly events: number;
  readonly first_event: number;
  /** Of the outermost events. */
  readonly busy_ps: number;
}

export interface Counter {
  readonly id: number;
  readonly track: number;
  readonly name: string;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
}

export interface Step {
  readonly number: number;
  readonly name: string;
  readonly start_ps: number;
  readonly end_ps: number;
  readonly host: string;
}

/** A category of the file, and what its events mean: colours and the legend go by meaning. */
export interface Category {
  readonly name: string;
  readonly meaning: string;
  readonly place: Place;
  readonly events: number;
}

export interface Device {
  readonly id: number;
  readonly host: string;
  readonly name: string;
  readonly memory_bytes: number | null;
  readonly capability: string | null;
  readonly processors: number | null;
  readonly peak_flops: number | null;
  readonly bandwidth_bytes: number | null;
}

/** What a trace is, without its events. */
export interface About {
  readonly kind: string;
  /** "ps", or "bytes" where the axis is not time. */
  readonly unit: string;
  /** Digits. */
  readonly origin_ns: string | null;
  readonly end_ps: number;
  /** Where host threads and devices have events with a duration. */
  readonly busy_from_ps: number;
  readonly busy_to_ps: number;
  readonly events: number;
  readonly tracks: readonly Track[];
  readonly counters: readonly Counter[];
  readonly steps: readonly Step[];
  readonly steps_note: string | null;
  readonly categories: readonly Category[];
  readonly devices: readonly Device[];
  readonly hosts: readonly string[];
  readonly files: readonly string[];
  readonly problems: readonly string[];
  /** Hosts whose clocks have no known origin in common: each begins at 0. */
  readonly clocks_differ: boolean;
  readonly flows: Readonly<Record<string, number>>;
  readonly has_stacks: boolean;
  readonly has_shapes: boolean;
  readonly has_memory: boolean;
  readonly has_modules: boolean;
}

/** One event, as lists name it. */
export interface EventRef {
  readonly event: number;
  readonly name: string;
  readonly track: number;
  readonly depth: number;
  readonly start_ps: number;
  readonly duration_ps: number;
}
export interface FoundEvent {
  readonly ref: EventRef | null;
}
export interface EventFlow extends EventRef {
  readonly kind: string;
  readonly direction: "to" | "from";
}

export interface StackFrame {
  readonly file: string;
  readonly line: number | null;
  readonly function: string;
  readonly is_framework: boolean;
}

/** All events of one name, on host or devices as the event itself. */
export interface OfName {
  readonly count: number;
  readonly total_ps: number;
  readonly self_ps: number;
  readonly mean_ps: number;
  readonly min_ps: number;
  readonly max_ps: number;
  readonly median_ps: number;
  /** Of the time in which the tracks of the host, or of devices, are busy. */
  readonly share: number | null;
  readonly per_step: number | null;
  readonly histogram: { readonly edges: readonly number[]; readonly counts: readonly number[] };
  readonly previous: EventRef | null;
  readonly next: EventRef | null;
}

export interface EventArgument {
  readonly key: string;
  readonly value: unknown;
}

export interface EventInfo extends EventRef {
  /** Index into the categories. */
  readonly category: number;
  readonly hash: number;
  readonly self_ps: number;
  /** Index of its step. */
  readonly step: number | null;
  readonly in_step_ps: number | null;
  readonly arguments: readonly EventArgument[];
  /** The outermost first. */
  readonly ancestors: readonly { readonly event: number; readonly name: string }[];
  readonly children: number;
  readonly launch: EventRef | null;
  /** Of a kernel: how many on its stream were launched before it and began later than its launch. */
  readonly ahead: number | null;
  /** Of a kernel or its launch: the operation around the launch. */
  readonly operation: EventRef | null;
  readonly kernels: readonly EventRef[];
  readonly kernel_count: number;
  readonly flows: readonly EventFlow[];
  /** The innermost first. */
  readonly stack: readonly StackFrame[];
  readonly module: string | null;
  readonly shapes: readonly { readonly shape: string; readonly type: string }[];
  readonly of_name: OfName;
}

export type SumsBy = "name" | "category" | "track" | "step" | "module";
export interface Sum {
  readonly key: number;
  readonly label: string;
  readonly hash: number;
  /** Of its longest event; -1: none. */
  readonly category: number;
  readonly count: number;
  /** Inside the range. */
  readonly total_ps: number;
  /** Without that of children. */
  readonly self_ps: number;
  /** Of the self time of all. */
  readonly share: number;
  readonly min_ps: number;
  readonly max_ps: number;
  /** The longest. */
  readonly event: number;
}
/** The largest self time first. */
export interface Sums {
  readonly rows: readonly Sum[];
  readonly left_out: { readonly rows: number; readonly total_ps: number; readonly self_ps: number };
  readonly count: number;
  readonly busy_ps: number;
  readonly range_ps: number;
}

export type SearchIn = "all" | "names" | "arguments";
export type SearchMode = "text" | "pattern";
export interface Found {
  readonly count: number;
  readonly first: EventRef | null;
  /** Pixels of the overview, and how many matches begin in each. */
  readonly pixel: Int32Array;
  readonly marks: Int32Array;
}
export interface Match {
  readonly count: number;
  /** Of all matches in the order of time. */
  readonly index: number | null;
  readonly ref: EventRef | null;
}

/** Time in which a device did nothing, and what the host did meanwhile. */
export interface Gap {
  readonly track: number;
  readonly device: number | null;
  readonly start_ps: number;
  readonly duration_ps: number;
  readonly host: {
    readonly event: number;
    readonly name: string;
    readonly track: number;
    readonly share: number;
  } | null;
  readonly before: EventRef | null;
  readonly after: EventRef | null;
}
/** The longest first. */
export interface Gaps {
  readonly gaps: readonly Gap[];
  readonly count: number;
  readonly total_ps: number;
}

/** A step of the training, and what its time went to. */
export interface StepPart {
  readonly number: number;
  readonly name: string;
  /** The worker that it ran on. */
  readonly host: string;
  readonly start_ps: number;
  readonly end_ps: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly is_outlier: boolean;
}
export type Steps = Omit<components["schemas"]["ProfileSteps"], "steps"> & { readonly steps: readonly StepPart[] };
export type Overview = Omit<components["schemas"]["Overview"], "steps" | "parts"> & {
  readonly steps: readonly StepPart[];
  /** Means over the steps. */
  readonly parts: Readonly<Record<string, number>>;
};
export type Advice = components["schemas"]["AdviceAnswer"];
export type Finding = components["schemas"]["Finding"];
export type Memory = components["schemas"]["MemoryAnswer"];
export type MemoryLine = components["schemas"]["MemoryLine"];
export type AliveRow = components["schemas"]["AliveRow"];
export type Suspect = components["schemas"]["Suspect"];
export type Block = components["schemas"]["Block"];
/** The largest allocations, in the order of their beginning. */
export type Blocks = components["schemas"]["Blocks"];
/** The largest allocation first. */
export type Buffers = components["schemas"]["ProgramBuffers"];
export type BufferRow = components["schemas"]["BufferRow"];
/** Nodes, each after its parent; the first is the whole. */
export type Tree = components["schemas"]["Tree"];
export type Comparison = components["schemas"]["Comparison"];
export type Ops = components["schemas"]["OpsAnswer"];
export type OpRow = components["schemas"]["OpRow"];
export type InputPipeline = Omit<components["schemas"]["InputPipeline"], "steps"> & {
  readonly steps: readonly StepPart[];
};
export type Workers = components["schemas"]["Workers"];
