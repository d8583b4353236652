// Which runs are selected: all or none, with exceptions. So a run that appears later is selected or not as the user
// intended, and 999 of 1,000 runs cost one entry.

import { type RunKey, runKey } from "./run_key";

export interface Selection {
  readonly base: "all" | "none";
  readonly except: ReadonlySet<RunKey>;
}

export const ALL: Selection = { base: "all", except: new Set() };
export const NONE: Selection = { base: "none", except: new Set() };

export function isSelected(selection: Selection, name: string): boolean {
  return selection.except.has(runKey(name)) !== (selection.base === "all");
}

/** Selects or deselects some runs; others do not change. `all`: every run. */
export function withRuns(
  selection: Selection,
  names: readonly string[],
  isOn: boolean,
  all: readonly string[],
): Selection {
  const except = new Set(selection.except);
  const isException = isOn !== (selection.base === "all");
  for (const name of names) {
    if (isException) except.add(runKey(name));
    else except.delete(runKey(name));
  }
  return settled({ base: selection.base, except }, all);
}

/** Only these, without those that appear later. */
export function only(...names: readonly string[]): Selection {
  return { base: "none", except: new Set(names.map(runKey)) };
}

/** An exception for every run is the other base without exceptions. */
function settled(selection: Selection, all: readonly string[]): Selection {
  const isEvery =
    all.length > 0 && selection.except.size >= all.length && all.every((n) => selection.except.has(runKey(n)));
  if (!isEvery) return selection;
  return selection.base === "all" ? NONE : ALL;
}

/** The form with fewer exceptions, for the address; means the same for the runs in `all`. */
export function compact(selection: Selection, all: readonly string[]): Selection {
  if (selection.except.size * 2 <= all.length || all.length === 0) return selection;
  const other = all.map(runKey).filter((key) => !selection.except.has(key));
  if (other.length >= selection.except.size) return selection;
  return { base: selection.base === "all" ? "none" : "all", except: new Set(other) };
}
