// Decodes histograms from the server into what the chart draws. Pure.

import { Blocks } from "../../api/blocks";
import type { Profile } from "../../chart/histogram_model";
import type { Range, ScaleKind } from "../../chart/model";

export interface Trouble {
  readonly at: number;
  readonly message: string;
}

/** Some steps of one series, in order. Each array has one entry per step. */
export interface HistogramSeries {
  readonly run: string;
  readonly tag: string;
  /** Generation of the whole response. Later changes are not included. */
  readonly generation: number;
  /** Number of values in the series, drawn or not. */
  readonly values: number;
  readonly row: Uint32Array;
  readonly step: Float64Array;
  readonly wallTime: Float64Array;
  readonly total: Float64Array;
  readonly nan: Float64Array;
  readonly negInf: Float64Array;
  readonly posInf: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Counts below the first bin and above the last. */
  readonly below: Float64Array;
  readonly above: Float64Array;
  /** The buckets of each step: either as stored, or bins that all steps share. */
  readonly buckets: readonly Buckets[];
  readonly isStored: boolean;
  readonly problems: readonly Trouble[];
}

export type Buckets = Pick<Profile, "left" | "right" | "count">;

interface SeriesHead {
  readonly run: string;
  readonly tag: string;
  readonly values: number;
  readonly count: number;
  /** Null: buckets as stored. */
  readonly bins: number | null;
  readonly buckets: number;
  readonly problems: readonly Trouble[];
}

interface Head {
  readonly version: number;
  readonly generation: number;
  readonly series: readonly SeriesHead[];
}

export function decodeHistograms(body: ArrayBuffer): HistogramSeries[] {
  const blocks = new Blocks<Head>(body);
  const { generation, series } = blocks.head;
  return series.map(({ run, tag, values, count, bins, buckets, problems }) => {
    const what = `the histograms of ${tag}`;
    const row = blocks.uint32(count, what);
    const numbers = (): Float64Array => blocks.float64(count, what);
    const common = {
      run,
      tag,
      generation,
      values,
      problems,
      row,
      step: numbers(),
      wallTime: numbers(),
      total: numbers(),
      nan: numbers(),
      negInf: numbers(),
      posInf: numbers(),
      low: numbers(),
      high: numbers(),
    };
    if (bins === null) {
      const sizes = blocks.uint32(count, what);
      const [left, right, counts] = [
        blocks.float64(buckets, what),
        blocks.float64(buckets, what),
        blocks.float64(buckets, what),
      ];
      let start = 0;
      const each = Array.from(sizes, (size) => {
        const end = start + size;
        const part = {
          left: left.subarray(start, end),
          right: right.subarray(start, end),
          count: counts.subarray(start, end),
        };
        start = end;
        return part;
      });
      return {
        ...common,
        below: new Float64Array(count),
        above: new Float64Array(count),
        buckets: each,
        isStored: true,
      };
    }
    const edges = blocks.float64(bins + 1, what);
    const counts = blocks.float64(bins * count, what);
    const left = edges.subarray(0, bins);
    const right = edges.subarray(1);
    const each = Array.from({ length: count }, (_, i) => ({
      left,
      right,
      count: counts.subarray(i * bins, (i + 1) * bins),
    }));
    return { ...common, below: numbers(), above: numbers(), buckets: each, isStored: false };
  });
}

/** The axis range that shows all non-empty buckets. Null: the axis cannot show any of them. */
export function valueRange(all: readonly Buckets[], scale: ScaleKind): Range | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const isShown = (edge: number): boolean => scale !== "log" || edge > 0;
  for (const { left, right, count } of all) {
    for (let i = 0; i < count.length; i++) {
      if (!((count[i] as number) > 0)) continue;
      for (const edge of [left[i] as number, right[i] as number]) {
        if (!isShown(edge)) continue;
        if (edge < low) low = edge;
        if (edge > high) high = edge;
      }
    }
  }
  if (low > high) return null;
  const around = low === high ? Math.abs(low) * 0.1 || 1 : 0;
  return [low - around, high + around];
}

/** The whole range of the bins, including empty ones. */
export function binRange({ left, right }: Buckets): Range {
  return [left[0] as number, right.at(-1) as number];
}

/** Counts the non-finite values, and the steps that have any. */
export function notFinite({ nan, negInf, posInf, step }: HistogramSeries): {
  nan: number;
  negInf: number;
  posInf: number;
  steps: number;
  firstStep: number;
} {
  const sum = (numbers: Float64Array): number => numbers.reduce((all, each) => all + each, 0);
  const odd = Array.from(step.keys()).filter(
    (i) => (nan[i] as number) + (negInf[i] as number) + (posInf[i] as number) > 0,
  );
  return {
    nan: sum(nan),
    negInf: sum(negInf),
    posInf: sum(posInf),
    steps: odd.length,
    firstStep: step[odd[0] ?? 0] ?? Number.NaN,
  };
}

const ROUNDING = 1e-9;

/** The share of all values below the first bin: on a log axis, of those at or below zero. */
export function shareBelow(all: readonly HistogramSeries[]): number {
  const sumOf = (numbers: (series: HistogramSeries) => Float64Array): number =>
    all.reduce((sum, series) => numbers(series).reduce((inner, each) => inner + each, sum), 0);
  const share = sumOf((series) => series.below) / (sumOf((series) => series.total) || 1);
  return share > 1 - ROUNDING ? 1 : share;
}
