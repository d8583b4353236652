// The options of the overview in the address: the kinds that are off, and the metrics of the strip.

import type { MetricChoice } from "../../api/types";
import { readParts, writeParts } from "../../base/parts";
import type { Settings } from "../../state/view/settings.svelte";

const OFF = "overview.off";
const METRICS = "overview.metrics";

/** Names of the dashboards whose cards are hidden. */
export const readOff = (settings: Settings): ReadonlySet<string> =>
  new Set(settings.option(OFF).split(",").filter(Boolean));

export function toggleOff(settings: Settings, name: string): void {
  const off = new Set(readOff(settings));
  if (!off.delete(name)) off.add(name);
  settings.setOption(OFF, [...off].sort().join(","));
}

/** Null: chosen by the server. */
export function readMetrics(settings: Settings): MetricChoice[] | null {
  const option = settings.option(METRICS);
  if (option === "") return null;
  const parts = readParts(option);
  const metrics: MetricChoice[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [best, tag] = [parts[i], parts[i + 1] ?? ""];
    const isGoal = best === "min" || best === "max";
    if (isGoal && !metrics.some((metric) => metric.tag === tag)) metrics.push({ best, tag });
  }
  return metrics;
}

/** Null: the server chooses again. */
export function setMetrics(settings: Settings, metrics: readonly MetricChoice[] | null): void {
  // An empty list is not the default.
  const parts = metrics?.flatMap(({ best, tag }) => [best, tag]);
  settings.setOption(METRICS, parts ? writeParts(parts.length > 0 ? parts : ["none"]) : "");
}
