// The user's marks on runs: star, hidden, labels, display name, note, colour, and which run is the baseline. Kept in
// this browser per log directory, and as a file; never in the logs. Where the server shares marks, all but what is
// hidden and the baseline are those that all share; this browser's own stay where they are.

import { hashName } from "../runs/run_key";
import type { SharedMarks } from "./shared_marks.svelte";
import { onOtherTab, recall, remember } from "./storage";
import { type Undo, undoneEntries, undoneValue } from "./undo";

export interface RunMarks {
  readonly isStarred?: boolean;
  readonly isHidden?: boolean;
  /** Words of the user; never empty. */
  readonly labels?: readonly string[];
  readonly name?: string;
  readonly note?: string;
  /** #rrggbb */
  readonly color?: string;
}

export interface OverlayData {
  readonly runs: ReadonlyMap<string, RunMarks>;
  readonly baseline: string | null;
}

const EMPTY: OverlayData = { runs: new Map(), baseline: null };
const UNMARKED: RunMarks = {};

/** Fields set to undefined are removed. */
type MarksChange = { readonly [K in keyof RunMarks]?: RunMarks[K] | undefined };
const FORMAT = "runglass-overlay";

export class Overlay {
  #data = $state.raw<OverlayData>(EMPTY);
  #key = "";
  #stop = (): void => undefined;

  readonly runs = $derived.by(() =>
    this.shared?.isOn ? withShared(this.#data.runs, this.shared.runs) : this.#data.runs,
  );
  readonly baseline = $derived(this.#data.baseline);
  /** Of this browser alone, where the server shares marks. */
  readonly own = $derived(this.#data.runs);

  /** With `shared`, marks are those of the server as soon as it shares any. */
  constructor(private readonly shared: SharedMarks | null = null) {}

  /** Every log directory has its own overlay. */
  open(locations: readonly string[]): void {
    const key = overlayKey(locations);
    if (key === this.#key) return;
    this.#key = key;
    this.#stop();
    this.#stop = onOtherTab(key, () => (this.#data = parseOverlay(recall(key) ?? "") ?? EMPTY));
    this.#data = parseOverlay(recall(key) ?? "") ?? EMPTY;
  }

  of(run: string): RunMarks {
    return this.runs.get(run) ?? UNMARKED;
  }

  mark(
    names: readonly string[],
    change: MarksChange,
    { since }: { /** The revision of shared marks that the user had seen. */ since?: number } = {},
  ): Undo {
    return this.#change(names, () => change, since);
  }

  /** Adds and removes labels; other labels of the runs stay. */
  label(
    names: readonly string[],
    { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
  ): Undo {
    return this.#change(names, ({ labels = [] }) => ({
      labels: [...new Set([...labels.filter((label) => !remove.includes(label)), ...add])],
    }));
  }

  setBaseline(run: string | null): void {
    this.#write({ runs: this.runs, baseline: run });
  }

  toText(): string {
    return encodeOverlay({ runs: this.runs, baseline: this.baseline });
  }

  /** Adds the marks of a file; they replace existing ones. Throws if it is not an overlay. */
  addText(text: string): Undo {
    const read = parseOverlay(text);
    if (!read) throw new Error(`Not a file of run marks: it has no "format": "${FORMAT}".`);
    return this.#write({ runs: new Map([...this.runs, ...read.runs]), baseline: read.baseline ?? this.baseline });
  }

  #change(names: readonly string[], changeOf: (marks: RunMarks) => MarksChange, since?: number): Undo {
    const runs = new Map(this.runs);
    for (const name of names) {
      const marks = runs.get(name) ?? UNMARKED;
      const changed = tidy({ ...marks, ...changeOf(marks) });
      if (changed) runs.set(name, changed);
      else runs.delete(name);
    }
    return this.#write({ runs, baseline: this.baseline }, since);
  }

  #write(data: OverlayData, since?: number): Undo {
    const [before, mine] = [{ runs: this.runs, baseline: this.baseline }, data];
    if (this.shared?.isOn) {
      this.shared.writeRuns(data.runs, since);
      data = { runs: withHidden(this.#data.runs, data.runs), baseline: data.baseline };
    }
    this.#data = data;
    if (this.#key) remember(this.#key, encodeOverlay(data));
    return () => {
      const runs = undoneEntries(before.runs, mine.runs, this.runs, undoneMarks);
      this.#write({ runs, baseline: undoneValue(before.baseline, mine.baseline, this.baseline) });
    };
  }
}

/** Undefined if nothing is marked. */
function tidy(marks: MarksChange): RunMarks | undefined {
  const kept = Object.entries(marks).filter(
    ([, value]) =>
      value !== undefined && value !== false && value !== "" && !(Array.isArray(value) && value.length === 0),
  );
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** Field by field, and label by label. */
function undoneMarks(before = UNMARKED, mine = UNMARKED, now = UNMARKED): RunMarks | undefined {
  const { labels: had = [], ...fields } = before;
  const labels = mine.labels ?? [];
  const kept = (now.labels ?? []).filter((label) => had.includes(label) || !labels.includes(label));
  const restored = had.filter((label) => !labels.includes(label) && !kept.includes(label));
  const undone = (Object.keys({ ...fields, ...mine }) as (keyof RunMarks)[])
    .filter((field) => field !== "labels")
    .map((field) => [field, undoneValue<unknown>(before[field], mine[field], now[field])]);
  return tidy({ ...now, ...(Object.fromEntries(undone) as RunMarks), labels: [...kept, ...restored] });
}

/** What all share, and which runs this browser hides. */
function withShared(
  mine: ReadonlyMap<string, RunMarks>,
  shared: ReadonlyMap<string, RunMarks>,
): ReadonlyMap<string, RunMarks> {
  const runs = new Map(shared);
  for (const [name, { isHidden }] of mine) if (isHidden) runs.set(name, { ...shared.get(name), isHidden });
  return runs;
}

/** This browser's own marks, hiding what is hidden now. */
function withHidden(
  mine: ReadonlyMap<string, RunMarks>,
  now: ReadonlyMap<string, RunMarks>,
): ReadonlyMap<string, RunMarks> {
  const runs = new Map<string, RunMarks>();
  for (const name of new Set([...mine.keys(), ...now.keys()])) {
    const { isHidden: _, ...rest } = mine.get(name) ?? UNMARKED;
    const marks: RunMarks = now.get(name)?.isHidden ? { ...rest, isHidden: true } : rest;
    if (Object.keys(marks).length > 0) runs.set(name, marks);
  }
  return runs;
}

export const overlayKey = (locations: readonly string[]): string =>
  `overlay-${hashName(locations.join("\n")).toString(36)}`;

export function encodeOverlay({ runs, baseline }: OverlayData): string {
  return JSON.stringify({ format: FORMAT, version: 1, baseline, runs: Object.fromEntries(runs) }, null, 1);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const CHECKS: Readonly<Record<keyof RunMarks, (value: unknown) => boolean>> = {
  isStarred: isFlag,
  isHidden: isFlag,
  labels: (value) => Array.isArray(value) && value.length > 0 && value.every((each) => isText(each) && each !== ""),
  name: isText,
  note: isText,
  color: (value) => isText(value) && /^#[0-9a-f]{6}$/i.test(value),
};

/** Null if the text is not an overlay. Ignores unknown fields and fields of another type. */
export function parseOverlay(text: string): OverlayData | null {
  let read: { format?: unknown; baseline?: unknown; runs?: unknown };
  try {
    read = JSON.parse(text) as typeof read;
  } catch {
    return null;
  }
  if (read?.format !== FORMAT || typeof read.runs !== "object" || read.runs === null) return null;
  const runs = new Map<string, RunMarks>();
  for (const [name, marks] of Object.entries(read.runs)) {
    if (typeof marks !== "object" || marks === null) continue;
    const known = Object.entries(marks).filter(
      ([key, value]) => Object.hasOwn(CHECKS, key) && CHECKS[key as keyof RunMarks](value),
    );
    if (known.length > 0) runs.set(name, Object.fromEntries(known));
  }
  return { runs, baseline: typeof read.baseline === "string" ? read.baseline : null };
}
