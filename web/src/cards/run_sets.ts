// The shown runs of a card. Cards with the same runs share one list and one key, so that five hundred runs are
// processed once and not once per card. Pure.

import type { TagIndex } from "../api/types";
import { once } from "../state/runs/colors";
import { haveParts, partOf } from "../state/runs/trainings";
import { hashName } from "../state/runs/run_key";
import { setsOf } from "./tag_sections";

export interface RunSet {
  readonly names: readonly string[];
  /** Equal for equal lists. */
  readonly key: string;
  readonly has: (run: string) => boolean;
}

export function toRunSet(names: readonly string[]): RunSet {
  let set: ReadonlySet<string> | null = null;
  return {
    names,
    key: `${names.length}.${hashName(names.join("\n")).toString(36)}`,
    has: (run) => (set ??= new Set(names)).has(run),
  };
}

/** Whether two of the runs are parts of one training. */
export const partsMeetIn = once((runs: RunSet) => haveParts(runs.names));

/** Whether some are of training data and others are not. */
export const hasTrainAndOthers = once((runs: RunSet) => {
  const parts = runs.names.map(partOf);
  return parts.includes("train") && parts.some((part) => part !== "train");
});

export const isSubset = (inner: RunSet, outer: RunSet): boolean =>
  inner.key === outer.key || (inner.names.length <= outer.names.length && inner.names.every(outer.has));

/** Returns a function that finds the runs that have at least one of some tags. */
export function runSetFinder(index: TagIndex, runs: readonly string[]): (tags: readonly string[]) => RunSet {
  const sets = setsOf(index, runs);
  const known = new Map<string, RunSet>();
  return (tags) => {
    const having = sets.filter((set) => tags.some((tag) => Object.hasOwn(index.tag_sets[set] as object, tag)));
    const signature = having.length === sets.length ? "all" : having.join();
    let found = known.get(signature);
    if (!found) {
      const wanted = new Set(having);
      found = toRunSet(runs.filter((run) => wanted.has(index.runs[run] ?? -1)));
      known.set(signature, found);
    }
    return found;
  };
}
