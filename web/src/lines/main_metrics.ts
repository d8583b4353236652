// The metrics that the user compares runs by, in the address, and whether their highest or lowest value is best.

import type { MetricChoice } from "../api/types";
import { readParts, writeParts } from "../base/parts";
import type { Settings } from "../state/view/settings.svelte";
import { type Goal, goalOf } from "./compare";

const METRICS = "overview.metrics";

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

/** As the user chose it, otherwise as the name of the tag says; null if it does not. */
export const goalIn = (settings: Settings, tag: string): Goal | null =>
  readMetrics(settings)?.find((metric) => metric.tag === tag)?.best ?? goalOf(tag);
