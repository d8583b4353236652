// A small trace for tests: what the server would answer about it.

import type { About, Counter, Track } from "../answer";
import type { Slices } from "./answer";

export const sampleTrack = (id: number, more: Partial<Track> = {}): Track => ({
  id,
  process: "train.py",
  process_id: "1",
  name: more.thread ?? `thread ${id}`,
  thread: `thread ${id}`,
  thread_id: String(id),
  kind: "thread",
  place: "host",
  device: null,
  host: "",
  labels: "",
  rows: 2,
  events: 10_000,
  first_event: 0,
  busy_ps: 1,
  ...more,
});

export const sampleCounter = (id: number, track: number, name: string, more: Partial<Counter> = {}): Counter => ({
  ...{ id, track, name, unit: "bytes", min: 0, max: 100 },
  ...more,
});

export const sampleAbout = (more: Partial<About> = {}): About => ({
  kind: "torch",
  unit: "ps",
  origin_ns: null,
  end_ps: 1_000_000,
  busy_from_ps: 0,
  busy_to_ps: 1_000_000,
  events: 10_000,
  tracks: [sampleTrack(0)],
  counters: [],
  steps: [],
  steps_note: null,
  categories: [{ name: "cpu_op", meaning: "op", place: "host", events: 1 }],
  devices: [],
  hosts: [""],
  files: [],
  problems: [],
  clocks_differ: false,
  flows: {},
  has_stacks: false,
  has_shapes: false,
  has_memory: false,
  has_modules: false,
  ...more,
});

interface SampleSlice {
  readonly track: number;
  readonly depth: number;
  readonly start: number;
  readonly duration: number;
  readonly count?: number;
}

/** They must come as the server sorts them. */
export function sampleSlices(list: readonly SampleSlice[]): Slices {
  const ints = (of: (slice: SampleSlice, i: number) => number): Int32Array => Int32Array.from(list, of);
  return {
    track: ints(({ track }) => track),
    depth: ints(({ depth }) => depth),
    event: ints((_, i) => i),
    name: ints((_, i) => i),
    category: ints(() => 0),
    step: ints(() => -1),
    module: ints(() => -1),
    count: ints(({ count }) => count ?? 1),
    hash: Uint32Array.from(list, (_, i) => i),
    start: Float64Array.from(list, ({ start }) => start),
    duration: Float64Array.from(list, ({ duration }) => duration),
    busy: Float64Array.from(list, ({ duration }) => duration),
    matches: ints(() => 0),
    label: ints((_, i) => i),
    labels: list.map((_, i) => `event ${i}`),
    modules: [],
  };
}
