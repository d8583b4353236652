// What a card asks for that shows all steps of one run. Pure.

import type { Range } from "../../chart/model";
import type { HistogramQuery, HistogramRef } from "./ask";
import type { HistogramSettings } from "./options.svelte";

// More could not be told apart.
const MOST_RIDGES = 51;
const MOST_COLUMNS = 250;

export const maxSteps = ({ mode }: HistogramSettings): number => (mode === "heat" ? MOST_COLUMNS : MOST_RIDGES);

/** `zoom`: the values that are looked at; missing: all. */
export function queryOf(how: HistogramSettings, series: HistogramRef, zoom: Range | undefined): HistogramQuery {
  const binOptions = {
    bins: how.bins,
    x_scale: how.valueScale,
    x_range: how.bins === null || !zoom ? null : ([...zoom] as [number, number]),
    max_steps: maxSteps(how),
    is_shared: false,
  };
  return { series: [series], binOptions };
}
