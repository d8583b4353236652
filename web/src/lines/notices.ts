// The badges beside a card's title: values that no line can show, and restarts.

import { formatX } from "../base/format";
import { statsOf, xOf } from "../chart/model";
import { countOf } from "../base/count";
import { visibleText } from "../base/visible_text";
import type { CardLine } from "./card_model";

export interface Notice {
  readonly text: string;
  readonly detail: string;
}

const RUNS_NAMED = 5;

/**
 * The first x with a NaN or an infinity. It is exact: every reduction keeps the first of each in a pixel column.
 * The centre of a group is NaN where none of its runs has a number, whatever they logged.
 */
export function findNonFinite(lines: readonly CardLine[], axis: string): Notice | null {
  const found: { run: string; x: number; word: string }[] = [];
  for (const { run, role, series } of distinctLines(lines)) {
    if (statsOf(series).isFinite) continue;
    const x = xOf(series);
    for (let i = 0; i < series.y.length; i++) {
      const value = series.y[i] as number;
      if (Number.isFinite(value)) continue;
      const word = role === "center" ? "no value" : Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
      found.push({ run, x: x[i] as number, word });
      break;
    }
  }
  found.sort((one, other) => one.x - other.x);
  const [first] = found;
  if (!first) return null;
  return {
    text: `${first.word} @ ${formatX(first.x, axis)}`,
    detail: nameRuns(found.map((each) => `${each.run}: ${each.word} from ${axis} ${formatX(each.x, axis)}`)),
  };
}

/** A line for each run, if they are not too many. */
export const nameRuns = (lines: readonly string[]): string =>
  (lines.length > RUNS_NAMED
    ? [...lines.slice(0, RUNS_NAMED), `and ${countOf(lines.length - RUNS_NAMED, "more run")}`]
    : lines
  )
    .map(visibleText)
    .join("\n");

/** One line per run and tag: the raw one, which comes first, if there is one. */
function distinctLines(lines: readonly CardLine[]): CardLine[] {
  const byTag = new Map<string, Map<string, CardLine>>();
  for (const line of lines) {
    if (line.role === "earlier") continue;
    let byRun = byTag.get(line.tag);
    if (!byRun) byTag.set(line.tag, (byRun = new Map()));
    if (!byRun.has(line.run)) byRun.set(line.run, line);
  }
  return [...byTag.values()].flatMap((byRun) => [...byRun.values()]);
}

/** Runs that restarted, and how often; null if none did. */
export function findRestarts(runs: readonly string[], restarts: ReadonlyMap<string, number>): Notice | null {
  if (restarts.size === 0) return null;
  const found = runs.flatMap((run) => {
    const times = restarts.get(run);
    return times ? [{ run, times }] : [];
  });
  if (found.length === 0) return null;
  const total = found.reduce((sum, { times }) => sum + times, 0);
  return {
    text: countOf(total, "restart"),
    detail: nameRuns(found.map(({ run, times }) => `${run}: ${times}`)),
  };
}
