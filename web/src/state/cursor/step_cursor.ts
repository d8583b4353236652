// Where a series has values along an axis, and which of them belongs to a place on the axis. Pure.

import type { SeriesSteps } from "../../api/steps";
import type { Range, TimeAxis } from "../view/view";

const EVERYWHERE: Range = [-Infinity, Infinity];

/** One value of a series at one step, with everything that names it. */
export interface Sample {
  readonly run: string;
  readonly tag: string;
  readonly row: number;
  readonly step: number;
  readonly wallTime: number;
}

/** In ascending order of steps; values of one step stay in the order in which they were logged. */
export function inStepOrder(series: SeriesSteps): SeriesSteps {
  const { step } = series;
  let isAscending = true;
  for (let i = 1; i < step.length && isAscending; i++) isAscending = (step[i] as number) >= (step[i - 1] as number);
  if (isAscending) return series;
  const order = Uint32Array.from(step.keys()).sort((a, b) => (step[a] as number) - (step[b] as number) || a - b);
  const pick = <T extends Float64Array | Uint32Array>(values: T): T =>
    values.map((_, i) => values[order[i] as number] as number) as T;
  return { ...series, step: pick(series.step), wallTime: pick(series.wallTime), row: pick(series.row) };
}

/** Each value's place on the axis. `startTime`: when the run began, for relative time. */
export function placesOn(axis: TimeAxis, series: SeriesSteps, startTime: number): Float64Array {
  if (axis === "step") return series.step;
  return axis === "wall" ? series.wallTime : series.wallTime.map((time) => time - startTime);
}

/**
 * The index of the value nearest to the place, the later of two equally near ones. Null: the newest. Only values in the
 * range count, if it has any. Returns -1 if there is none.
 */
export function findNearest(places: Float64Array, at: number | null, range: Range | null = null): number {
  const [low, high] = range ?? EVERYWHERE;
  if (at === null && !range) return places.length - 1;
  const wanted = at ?? high;
  let nearest = -1;
  let distance = Infinity;
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number;
    if (place < low || place > high) continue;
    const here = Math.abs(place - wanted);
    if (here <= distance) {
      nearest = i;
      distance = here;
    }
  }
  return nearest < 0 && range ? findNearest(places, at) : nearest;
}

export function sampleAt(series: SeriesSteps, i: number): Sample | null {
  const row = series.row[i];
  if (row === undefined) return null;
  return {
    run: series.run,
    tag: series.tag,
    row,
    step: series.step[i] as number,
    wallTime: series.wallTime[i] as number,
  };
}

/** All places of several series, ascending and without duplicates. */
export function unitePlaces(all: readonly Float64Array[]): Float64Array {
  const [first] = all;
  if (all.length === 1 && first) return first;
  return Float64Array.from(new Set(all.flatMap((places) => [...places]))).sort();
}
