// What the routes of a timeline answer, as arrays. Times are picoseconds from the beginning of the range asked for.

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
  /** `module` is an index into these. */
  readonly modules: readonly string[];
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
  readonly kinds: readonly string[];
}
