// The effect of one setting on a metric: the difference of means between its values, and the same difference among runs
// that agree in all other settings, which the other settings cannot explain. Pure.

import type { Goal } from "../answer";
import type { Bins } from "../bins";
import { differenceOfMeans, type Estimate, type Mean, meanInterval, meanOf } from "../statistics";

export interface LevelEffect {
  /** The bin. */
  readonly bin: number;
  readonly n: number;
  readonly mean: Estimate;
  /** Against the baseline; null for the baseline itself, and where either has no run. */
  readonly difference: Estimate | null;
  readonly matched: Matched | null;
}

export interface Matched {
  /** Combinations of the other settings that were run with both values. */
  readonly sets: number;
  /** Runs in those combinations. */
  readonly runs: number;
  readonly difference: Estimate;
}

interface Group {
  readonly means: Map<number, number[]>;
}

/**
 * `matchOn`: for each row, a number that rows with equal other settings share; −1 for rows that cannot be matched. Rows
 * without a value of the metric take no part.
 */
export function effectOf(
  metric: Float64Array,
  bins: Bins,
  baseline: number,
  matchOn: Int32Array,
  included: Uint8Array | null = null,
): LevelEffect[] {
  const byBin: number[][] = bins.labels.map(() => []);
  const groups = new Map<number, Group>();
  metric.forEach((value, row) => {
    const bin = bins.of[row] as number;
    if (bin < 0 || Number.isNaN(value) || included?.[row] === 0) return;
    byBin[bin]?.push(value);
    const key = matchOn[row] as number;
    if (key < 0) return;
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { means: new Map() }));
    const values = group.means.get(bin);
    if (values) values.push(value);
    else group.means.set(bin, [value]);
  });
  const means = byBin.map((values) => meanOf(values));
  const base = means[baseline] as Mean;
  return means.map((mean, bin) => {
    const isCompared = bin !== baseline && mean.n > 0 && base.n > 0;
    return {
      bin,
      n: mean.n,
      mean: meanInterval(mean),
      difference: isCompared ? differenceOfMeans(mean, base) : null,
      matched: isCompared ? matchedDifference(groups.values(), bin, baseline) : null,
    };
  });
}

function matchedDifference(groups: Iterable<Group>, bin: number, baseline: number): Matched | null {
  const differences: number[] = [];
  let runs = 0;
  for (const { means } of groups) {
    const here = means.get(bin);
    const there = means.get(baseline);
    if (!here || !there) continue;
    runs += here.length + there.length;
    differences.push(meanOf(here).mean - meanOf(there).mean);
  }
  if (differences.length === 0) return null;
  return { sets: differences.length, runs, difference: meanInterval(meanOf(differences)) };
}

/** Numbers that rows share if they are equal in all these columns; missing equals missing. */
export function settingsKeys(columns: readonly Float64Array[], rows: number): Int32Array {
  const keys = new Int32Array(rows);
  // One column after the other: a text of all settings for each row would take most of the time.
  for (const column of columns) {
    const known = new Map<number, Map<number, number>>();
    let next = 0;
    for (let row = 0; row < rows; row++) {
      const before = keys[row] as number;
      let values = known.get(before);
      if (!values) known.set(before, (values = new Map()));
      // A Map takes NaN as equal to itself, which is what missing values need.
      const value = column[row] as number;
      let key = values.get(value);
      if (key === undefined) values.set(value, (key = next++));
      keys[row] = key;
    }
  }
  return keys;
}

/** What can be said of a difference: its interval lies on one side of zero, or it does not, or there is none. */
export function verdictOf({ low, high }: Estimate, goal: Goal): "better" | "worse" | "unclear" {
  if (Number.isNaN(low) || (low <= 0 && high >= 0)) return "unclear";
  return low > 0 === (goal === "max") ? "better" : "worse";
}
