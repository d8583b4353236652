// What the routes of a trace answer. Times are picoseconds from the trace's origin, unless said otherwise.

/** Which trace: a session of a run, or a file that was dropped on the page. */
export type SessionRef = { readonly run: string; readonly session: string } | { readonly file: string };

export type TrackKind = "thread" | "stream" | "async" | "counter" | "instants" | "steps";
export type Place = "host" | "device";

export interface Track {
  readonly id: number;
  readonly process: string;
  readonly process_id: string;
  readonly thread: string;
  readonly thread_id: string;
  readonly kind: TrackKind;
  readonly place: Place;
  readonly device: number | null;
  readonly host: string;
  /** How many rows its nested events need. */
  readonly rows: number;
  readonly events: number;
  readonly first_event: number;
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
  readonly number: number | null;
  readonly name: string;
  readonly start_ps: number;
  readonly end_ps: number;
  readonly host: string;
}

/** A category of the file, and what its events mean: colours and the legend go by meaning. */
export interface Category {
  readonly name: string;
  readonly meaning: string;
}

export interface Device {
  readonly id: number;
  readonly name: string;
}

export interface About {
  /** "ps", or "bytes" where the axis is not time. */
  readonly unit: string;
  readonly origin_ns: number | null;
  readonly end_ps: number;
  readonly events: number;
  readonly tracks: readonly Track[];
  readonly counters: readonly Counter[];
  readonly steps: readonly Step[];
  readonly categories: readonly Category[];
  readonly devices: readonly Device[];
  readonly hosts: readonly string[];
  readonly problems: readonly string[];
  readonly clocks_differ: boolean;
}

/** One event, as lists name it. */
export interface EventRef {
  readonly event: number;
  readonly name: string;
  readonly track: number;
  readonly start_ps: number;
  readonly duration_ps: number;
}

export interface StackFrame {
  readonly file: string;
  readonly line: number | null;
  readonly function: string;
  readonly is_framework: boolean;
}

export interface NameSums {
  readonly count: number;
  readonly total_ps: number;
  readonly mean_ps: number;
  readonly min_ps: number;
  readonly max_ps: number;
  readonly median_ps: number;
  readonly share: number;
  readonly per_step: number | null;
  readonly histogram: { readonly edges: readonly number[]; readonly counts: readonly number[] };
  readonly previous: number | null;
  readonly next: number | null;
}

export interface EventInfo extends EventRef {
  readonly category: number;
  readonly depth: number;
  readonly self_ps: number;
  readonly step: number;
  readonly in_step_ps: number | null;
  readonly arguments: readonly { readonly key: string; readonly value: unknown }[];
  readonly ancestors: readonly { readonly event: number; readonly name: string }[];
  readonly children: number;
  readonly launch: EventRef | null;
  readonly kernels: readonly EventRef[];
  readonly flows: readonly (EventRef & { readonly kind: string; readonly direction: string })[];
  readonly stack: readonly StackFrame[];
  readonly module: string | null;
  readonly shapes: readonly unknown[];
  readonly of_name: NameSums;
}

/** Events of some tracks, thin ones merged: by track in the order asked, then depth, then start. */
export interface Slices {
  readonly track: Int32Array;
  readonly depth: Int32Array;
  /** Of a merged block: its longest. */
  readonly event: Int32Array;
  readonly name: Int32Array;
  readonly category: Int32Array;
  /** Index into the steps; -1: none. */
  readonly step: Int32Array;
  readonly module: Int32Array;
  /** How many events it stands for. */
  readonly count: Int32Array;
  readonly hash: Uint32Array;
  /** From the beginning of the range that was asked for. */
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly busy: Float64Array;
  readonly matches: Int32Array;
  /** Index into `labels`; -1: too narrow for one. */
  readonly label: Int32Array;
  readonly labels: readonly string[];
}

export interface CounterPoints {
  readonly counter: Int32Array;
  readonly time: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly last: Float64Array;
}

export interface StripAnswer {
  readonly place: Int32Array;
  readonly category: Int32Array;
  readonly pixel: Int32Array;
  readonly share: Float64Array;
  /** Of the whole trace; null: it has no device. */
  readonly busy: number | null;
}

export interface Flows {
  readonly from_event: Int32Array;
  readonly to_event: Int32Array;
  readonly from_track: Int32Array;
  readonly from_depth: Int32Array;
  readonly to_track: Int32Array;
  readonly to_depth: Int32Array;
  readonly kind: Int32Array;
  readonly from_time: Float64Array;
  readonly to_time: Float64Array;
}

/** Time in which a device did nothing, and what the host did meanwhile. */
export interface Gap {
  readonly track: number;
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
export interface GapsAnswer {
  readonly gaps: readonly Gap[];
  readonly count: number;
  readonly total_ps: number;
}

export interface SearchAnswer {
  readonly count: number;
  readonly pixel: Int32Array;
  readonly marks: Int32Array;
  readonly first: EventRef | null;
}
