// Decodes the binary answer to a question for steps: where each series has values.

import { Blocks } from "./blocks";

/** The values of one series in the order in which they were logged; one length for all three. */
export interface SeriesSteps {
  readonly run: string;
  readonly tag: string;
  readonly generation: number;
  readonly step: Float64Array;
  readonly wallTime: Float64Array;
  /** Number of each among all values of the series, overwritten ones included: what the server is asked by. */
  readonly row: Uint32Array;
}

export interface Steps {
  /** Of the whole source: what changed after it is not in here. */
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
