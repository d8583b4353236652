// Margin charts: per run, a line with a band between two other lines, and what is missing from them. Pure.

import { type Area, lowerBound, type Series, xOf } from "../../chart/model";
import type { CardLine } from "../../lines/card_model";
import type { TipMargin } from "../../lines/tip_rows";
import type { MarginSeries } from "./layout";

/** The band between two lines, at every x of either. Interpolates each line linearly and does not extend it. */
export function bandBetween(lower: Series, upper: Series): Pick<Area, "table" | "low" | "high"> {
  const [lowX, highX] = [xOf(lower), xOf(upper)];
  const table = isSame(lowX, highX) ? lowX : Float64Array.from(new Set([...lowX, ...highX])).sort();
  return { table, low: valuesAt(lower, lowX, table), high: valuesAt(upper, highX, table) };
}

const isSame = (a: Float64Array, b: Float64Array): boolean =>
  a === b || (a.length === b.length && a.every((x, i) => x === b[i]));

function valuesAt({ y, isSorted }: Series, xs: Float64Array, table: Float64Array): Float64Array {
  if (xs === table || isSame(xs, table)) return Float64Array.from(y);
  if (!isSorted) return new Float64Array(table.length).fill(Number.NaN);
  return table.map((x) => {
    const after = lowerBound(xs, x);
    if (xs[after] === x) return y[after] as number;
    if (after === 0 || after === xs.length) return Number.NaN;
    const [x0, x1, y0, y1] = [xs[after - 1] as number, xs[after] as number, y[after - 1] as number, y[after] as number];
    return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
  });
}

export interface Margin {
  readonly run: string;
  /** Tag of the value inside the margin. */
  readonly tag: string;
  readonly lower: Series;
  readonly upper: Series;
}

/** The bounds of each value line, in their order; null for those that its run does not have. */
export function boundsOf(
  values: readonly CardLine[],
  lines: readonly CardLine[],
  wanted: readonly MarginSeries[],
): TipMargin[] {
  const byKey = new Map(lines.map((line) => [`${line.run}\n${line.tag}`, line.series]));
  return values.map(({ run, tag }) => {
    const margin = wanted.find((each) => each.value === tag);
    const read = (bound: string | undefined): TipMargin["lower"] => {
      const series = bound === undefined ? undefined : byKey.get(`${run}\n${bound}`);
      return bound !== undefined && series ? { tag: bound, series } : null;
    };
    return { lower: read(margin?.lower), upper: read(margin?.upper) };
  });
}

/** One margin for every run and series that has both bounds. */
export function marginsOf(lines: readonly CardLine[], wanted: readonly MarginSeries[]): Margin[] {
  const byRun = new Map<string, Map<string, Series>>();
  for (const { run, tag, series } of lines) {
    if (!byRun.has(run)) byRun.set(run, new Map());
    byRun.get(run)?.set(tag, series);
  }
  return [...byRun].flatMap(([run, byTag]) =>
    wanted.flatMap((each) => {
      const [lower, upper] = [byTag.get(each.lower), byTag.get(each.upper)];
      return lower && upper ? [{ run, tag: each.value, lower, upper }] : [];
    }),
  );
}

/**
 * Finds problems to show to the user: tags that a run with part of a series lacks but other runs have, and bounds whose
 * points differ from those of their value.
 */
export function findMarginTrouble(
  wanted: readonly MarginSeries[],
  runs: readonly string[],
  hasTag: (run: string, tag: string) => boolean,
  lines: readonly CardLine[],
): string[] {
  const trouble: string[] = [];
  const totals = new Map(lines.map(({ run, tag, total }) => [`${run}\n${tag}`, total]));
  for (const { value, lower, upper } of wanted) {
    const tags = [value, lower, upper].filter((tag) => runs.some((run) => hasTag(run, tag)));
    for (const run of runs) {
      const missing = tags.filter((tag) => !hasTag(run, tag));
      if (missing.length === tags.length) continue;
      if (missing.length > 0) {
        trouble.push(`${run} has no ${missing.join(" and no ")}.`);
        continue;
      }
      const counts = tags.map((tag) => totals.get(`${run}\n${tag}`) ?? 0);
      if (new Set(counts).size > 1)
        trouble.push(
          `${run}: ${tags.map((tag, i) => `${tag} has ${counts[i]} points`).join(", ")}. The band is straight between its own.`,
        );
    }
  }
  return trouble;
}
