// Percentiles over time: parses the user's choice, decodes responses, names percentiles and draws them. Pure.

import { Blocks } from "../../api/blocks";
import type { components } from "../../api/types.gen";
import { type Area, type Range, type Series, type Stroke, toSeries } from "../../chart/model";
import { isTimeAxis, type TimeAxis } from "../../state/view/view";

/** The percentiles of one series. */
export interface Bands {
  readonly run: string;
  readonly percentiles: readonly number[];
  readonly step: Float64Array;
  readonly wallTime: Float64Array;
  /** One array per percentile, with its value at every step. */
  readonly values: readonly Float64Array[];
  /** Only the first few of all problems. */
  readonly problems: readonly { readonly step: number; readonly problem: string }[];
  readonly problemCount: number;
}

interface Head {
  readonly version: number;
  readonly generation: number;
  readonly percentiles: readonly number[];
  readonly series: readonly (Pick<
    components["schemas"]["Distribution"],
    "run" | "tag" | "total" | "problems" | "problem_count"
  > & { readonly count: number })[];
}

/** Of the requested series that still exist. `generation`: of the whole source; later changes are not included. */
export interface AllBands {
  readonly generation: number;
  readonly all: readonly Bands[];
}

export function decodeBands(body: ArrayBuffer): AllBands {
  const blocks = new Blocks<Head>(body);
  const { generation, percentiles, series } = blocks.head;
  const all = series.map(({ run, count, problems, problem_count: problemCount }) => ({
    run,
    percentiles,
    step: blocks.float64(count, "the steps"),
    wallTime: blocks.float64(count, "the times"),
    values: percentiles.map((q) => blocks.float64(count, `percentile ${q}`)),
    problems,
    problemCount,
  }));
  return { generation, all };
}

export const isBlank = (bands: Bands): boolean => !bands.values.some((values) => values.some(Number.isFinite));

/** The percentiles of a normal distribution at 0, ±0.5, ±1 and ±1.5 sigma, plus both ends. */
export const USUAL = "0, 6.68, 15.87, 30.85, 50, 69.15, 84.13, 93.32, 100";
export const PRESETS: readonly { readonly label: string; readonly text: string }[] = [
  { label: "Sigmas: ends, ±1.5σ, ±1σ, ±0.5σ, median", text: USUAL },
  { label: "Quartiles", text: "0, 25, 50, 75, 100" },
  { label: "Deciles", text: "0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100" },
  { label: "Tails: 1 and 99, 5 and 95, median", text: "1, 5, 50, 95, 99" },
  { label: "Minimum and maximum", text: "0, 100" },
];
const MAX_PERCENTILES = 101;

/** Parses numbers from 0 to 100, with any separators and in any order. `error` says why it fails. */
export function readPercentiles(text: string): { readonly values: readonly number[]; readonly error: string } {
  const parts = text.split(/[\s,;%]+/).filter((part) => part !== "");
  const numbers = parts.map(Number);
  const bad = parts.find((_, i) => !((numbers[i] as number) >= 0 && (numbers[i] as number) <= 100));
  if (bad !== undefined) return { values: [], error: `“${bad.slice(0, 20)}” is not a number from 0 to 100.` };
  if (numbers.length === 0) return { values: [], error: "Name at least one percentile." };
  const values = [...new Set(numbers)].sort((a, b) => a - b);
  return values.length > MAX_PERCENTILES
    ? { values: [], error: `At most ${MAX_PERCENTILES} percentiles.` }
    : { values, error: "" };
}

export function nameOf(percentile: number): string {
  const named = { 0: "smallest", 25: "quarter", 50: "median", 75: "three quarters", 100: "largest" }[percentile];
  return named ?? `${percentile} %`;
}

/** Where on the axis its histograms are. */
export function xOf({ step, wallTime }: Bands, axis: TimeAxis, startTime: number): Float64Array {
  return axis === "step" ? step : axis === "wall" ? wallTime : wallTime.map((time) => time - startTime);
}

/** Index of the percentile closest to this one. */
function closestTo(percentiles: readonly number[], wanted: number): number {
  let best = 0;
  percentiles.forEach((q, i) => {
    if (Math.abs(q - wanted) < Math.abs((percentiles[best] as number) - wanted)) best = i;
  });
  return best;
}

export const middleOf = (percentiles: readonly number[]): number => closestTo(percentiles, 50);

/** The area of one run among others goes between those closest to ±1 sigma: the ends would hide what differs. */
export const aroundMiddle = (percentiles: readonly number[]): readonly [number, number] => [
  closestTo(percentiles, 15.87),
  closestTo(percentiles, 84.13),
];

export const linesOf = (bands: Bands, x: Float64Array): Series[] => bands.values.map((values) => toSeries(x, values));

/** Emphasizes the percentile closest to the median. */
export function strokesOf(percentiles: readonly number[], color: string): Stroke[] {
  const middle = middleOf(percentiles);
  return percentiles.map((_, i) => ({
    color,
    widthPx: i === middle ? 2 : 1,
    alpha: i === middle ? 1 : 0.45,
    dash: [],
    axis: "left",
  }));
}

/** One area between each pair of neighboring percentiles; areas closer to the median are darker. */
export function areasOf(bands: Bands, x: Float64Array, color: string): Area[] {
  return bands.values.slice(1).flatMap((high, i) => {
    const low = bands.values[i];
    const between = ((bands.percentiles[i] as number) + (bands.percentiles[i + 1] as number)) / 2;
    const nearness = 1 - Math.abs(between - 50) / 50;
    return low ? [{ table: x, low, high, color, alpha: 0.08 + 0.4 * nearness, axis: "left" as const }] : [];
  });
}

/** The area of one of several runs around its median; what is below must be seen. */
export function areaAround({ percentiles, values }: Bands, x: Float64Array, color: string, runs: number): Area[] {
  const [low, high] = aroundMiddle(percentiles).map((i) => values[i]);
  const alpha = Math.max(0.08, 0.3 / Math.sqrt(Math.max(1, runs)));
  return low && high && low !== high ? [{ table: x, low, high, color, alpha, axis: "left" }] : [];
}

/** The visible part of a card: `x` along its axis, `y` along the values. */
export interface Zoom {
  readonly axis: TimeAxis;
  readonly x: Range | null;
  readonly y: Range | null;
}

/** For example `step;0,100;`. A part that is not set is empty; "" means no zoom. */
export const writeZoom = ({ axis, x, y }: Zoom): string =>
  x || y ? [axis, x?.join(",") ?? "", y?.join(",") ?? ""].join(";") : "";

/** Drops an `x` range that belongs to another axis. */
export function readZoom(written: string, axis: TimeAxis): Zoom {
  const [name = "", x = "", y = ""] = written.split(";");
  return { axis, x: isTimeAxis(name) && name === axis ? readRange(x) : null, y: readRange(y) };
}

function readRange(text: string): Range | null {
  const [low, high] = text === "" ? [] : text.split(",").map(Number);
  return low !== undefined && high !== undefined && Number.isFinite(low) && Number.isFinite(high) && low < high
    ? [low, high]
    : null;
}
