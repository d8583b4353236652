// Decodes the binary response to a query for steps: where each series has values.

import { Blocks } from "./blocks";

/** The values of one series in the order in which they were logged; all three arrays have the same length. */
export interface SeriesSteps {
  readonly run: string;
  readonly tag: string;
  readonly generation: number;
  readonly step: Float64Array;
  readonly wallTime: Float64Array;
  /** The number of each value in the series, including overwritten ones: requests name values by it. */
  readonly row: Uint32Array;
}

export interface Steps {
  /** Of the whole source: later changes are not included. */
  readonly generation: number;
  readonly series: readonly SeriesSteps[];
}

interface Head {
  readonly version: number;
  readonly generation: number;
  readonly series: readonly {
    readonly run: string;
    readonly tag: string;
    readonly generation: number;
    readonly count: number;
  }[];
}

export function decodeSteps(body: ArrayBuffer): Steps {
  const blocks = new Blocks<Head>(body);
  return {
    generation: blocks.head.generation,
    series: blocks.head.series.map(({ run, tag, generation, count }) => ({
      run,
      tag,
      generation,
      step: blocks.float64(count, `the steps of ${tag}`),
      wallTime: blocks.float64(count, `the times of ${tag}`),
      row: blocks.uint32(count, `the rows of ${tag}`),
    })),
  };
}
