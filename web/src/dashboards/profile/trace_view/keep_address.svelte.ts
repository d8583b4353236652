// Keeps a timeline and the address alike: what the user does in the timeline is written, and what the address says is
// shown. Called in a component and ends with it.

import { untrack } from "svelte";
import type { Settings } from "../../../state/view/settings.svelte";
import type { About } from "../answer";
import * as options from "../options";
import type { Span } from "../options";
import type { Timeline } from "../trace/timeline.svelte";
import { stepSpan } from "./steps";

/** The visible time is written once it rests. */
const REST_MS = 300;

interface Link<T> {
  /** Of the address. */
  readonly read: () => T;
  readonly write: (value: T) => void;
  /** Of the timeline. */
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly restMs?: number;
}

const keyOf = (value: unknown): string => JSON.stringify(value instanceof Set ? [...value] : value);

/** The address wins at first; afterwards whichever changes. */
function link<T>({ read, write, get, set, restMs = 0 }: Link<T>): void {
  const first = untrack(read);
  untrack(() => set(first));
  let known = untrack(() => keyOf(get()));
  // Outside: the address.
  $effect(() => {
    const value = get();
    if (keyOf(value) === known) return;
    const put = (): void => {
      known = keyOf(value);
      untrack(() => write(value));
    };
    if (restMs === 0) return put();
    const timer = setTimeout(put, restMs);
    return () => clearTimeout(timer);
  });
  let written = keyOf(first);
  $effect(() => {
    const value = read();
    const key = keyOf(value);
    if (key === written) return;
    written = key;
    if (key === known) return;
    known = key;
    untrack(() => set(value));
  });
}

const rounded = (span: Span): Span => ({ from: Math.round(span.from), to: Math.round(span.to) });

export function keepAddress(settings: Settings, timeline: Timeline, about: About): void {
  const { whole } = timeline;
  const isWhole = (span: Span): boolean => keyOf(rounded(span)) === keyOf(rounded(whole));
  // An address with a step opens there; then the visible time says where.
  const step = options.stepOption(settings);
  const at = step === null ? null : stepSpan(about.steps, step);
  if (step !== null) {
    options.clearStep(settings);
    if (at) options.setTimeOption(settings, at);
  }
  link<Span>({
    read: () => options.timeOption(settings) ?? whole,
    write: (span) => options.setTimeOption(settings, isWhole(span) ? null : rounded(span)),
    get: () => rounded(timeline.view),
    set: (span) => (timeline.view = isWhole(span) ? null : span),
    restMs: REST_MS,
  });
  link({
    read: () => options.eventOption(settings),
    write: (event) => options.setEventOption(settings, event),
    get: () => timeline.selected,
    set: (event) => (timeline.selected = event),
  });
  link({
    read: () => options.rangeOption(settings),
    write: (span) => options.setRangeOption(settings, span),
    get: () => timeline.range && rounded(timeline.range),
    set: (span) => (timeline.range = span),
    restMs: REST_MS,
  });
  link({
    read: () => options.secondOption(settings),
    write: (span) => options.setSecondOption(settings, span),
    get: () => timeline.secondRange && rounded(timeline.secondRange),
    set: (span) => (timeline.secondRange = span),
    restMs: REST_MS,
  });
  link<readonly number[]>({
    read: () => options.marksOption(settings),
    write: (marks) => options.setMarksOption(settings, marks),
    get: () => timeline.marks.map(Math.round),
    set: (marks) => (timeline.marks = marks),
  });
  link({
    read: () => options.colorOption(settings),
    write: (by) => options.setColorOption(settings, by),
    get: () => timeline.colorBy,
    set: (by) => (timeline.colorBy = by),
  });
  link({
    read: () => options.arrowsOption(settings),
    write: (arrows) => options.setArrowsOption(settings, arrows),
    get: () => timeline.arrows,
    set: (arrows) => (timeline.arrows = arrows),
  });
  link({
    read: () => options.gapOption(settings),
    write: (least) => options.setGapOption(settings, least),
    get: () => timeline.minGap,
    set: (least) => (timeline.minGap = least),
  });
  link({
    read: () => options.searchText(settings),
    write: (text) => options.setSearchText(settings, text),
    get: () => timeline.q,
    set: (text) => (timeline.q = text),
  });
  link({
    read: () => options.searchPlace(settings),
    write: (place) => options.setSearchPlace(settings, place),
    get: () => timeline.searchIn,
    set: (place) => (timeline.searchIn = place),
  });
  link({
    read: () => options.searchMode(settings),
    write: (mode) => options.setSearchMode(settings, mode),
    get: () => timeline.searchMode,
    set: (mode) => (timeline.searchMode = mode),
  });
  for (const list of ["collapsed", "opened", "pinned", "hidden"] as const)
    link<ReadonlySet<string>>({
      read: () => new Set(options.trackKeys(settings, list)),
      write: (keys) => options.setTrackKeys(settings, list, [...keys]),
      get: () => timeline[list],
      set: (keys) => (timeline[list] = keys),
    });
  link<readonly string[]>({
    read: () => options.trackKeys(settings, "order"),
    write: (keys) => options.setTrackKeys(settings, "order", keys),
    get: () => timeline.order,
    set: (keys) => (timeline.order = keys),
  });
  link({
    read: () => options.trackFilterOption(settings),
    write: (text) => options.setTrackFilter(settings, text),
    get: () => timeline.trackFilter,
    set: (text) => (timeline.trackFilter = text),
  });
}
