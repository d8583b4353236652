// What a card must say beside its title: values that no line can show.

import type { XAxis } from "../../api/types";
import { formatDuration, formatStep, formatTime } from "../../chart/format";
import { statsOf, xOf } from "../../chart/model";
import type { CardLine } from "./card_lines.svelte";

export interface Notice {
  readonly text: string;
  readonly detail: string;
}

const RUNS_NAMED = 5;

export function formatX(x: number, axis: XAxis): string {
  switch (axis) {
    case "step":
      return formatStep(x);
    case "relative":
      return formatDuration(x);
    case "wall":
      return formatTime(x);
    default:
      return axis satisfies never;
  }
}

/** The first x with a NaN or an infinity, exactly: every reduction keeps the first of each in a pixel. */
export function findNonFinite(lines: readonly CardLine[], axis: XAxis): Notice | null {
  const found: { run: string; x: number; word: string }[] = [];
  for (const { run, series } of distinctRuns(lines)) {
    if (statsOf(series).isFinite) continue;
    const x = xOf(series);
    for (let i = 0; i < series.y.length; i++) {
      const value = series.y[i] as number;
      if (Number.isFinite(value)) continue;
      found.push({ run, x: x[i] as number, word: Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞" });
      break;
    }
  }
  const first = found.reduce<(typeof found)[number] | null>((least, each) => (least && least.x <= each.x ? least : each), null);
  if (!first) return null;
  const named = found.slice(0, RUNS_NAMED).map((each) => `${each.run}: ${each.word} from ${axis} ${formatX(each.x, axis)}`);
  if (found.length > RUNS_NAMED) named.push(`and ${found.length - RUNS_NAMED} more runs`);
  return { text: `${first.word} @ ${formatX(first.x, axis)}`, detail: named.join("\n") };
}

/** One line a run: the raw one where there is one. */
function distinctRuns(lines: readonly CardLine[]): CardLine[] {
  const byRun = new Map<string, CardLine>();
  for (const line of lines) if (line.isRaw || !byRun.has(line.run)) byRun.set(line.run, line);
  return [...byRun.values()];
}
