// Decodes the binary response to a query for the stops of the cursor.

import { Blocks } from "./blocks";

/** When a run was at which step. */
export interface Clock {
  readonly run: string;
  readonly startTime: number;
  /** Ascending. */
  readonly step: Float64Array;
  readonly wallTime: Float64Array;
}

export interface Stops {
  /** Of the whole source: later changes are not included. */
  readonly generation: number;
  /** Positions on the axis of the query, ascending. */
  readonly at: Float64Array;
  /** Those with a value that is not a scalar. */
  readonly samples: Float64Array;
  /** The position of the newest value. */
  readonly newest: number | null;
  /** Of the run that lasted longest. */
  readonly clock: Clock | null;
}

interface Head {
  readonly version: number;
  readonly generation: number;
  readonly stops: number;
  readonly samples: number;
  readonly newest: number | null;
  readonly clock: { readonly run: string; readonly start_time: number; readonly points: number } | null;
}

export function decodeStops(body: ArrayBuffer): Stops {
  const blocks = new Blocks<Head>(body);
  const { generation, stops, samples, newest, clock } = blocks.head;
  return {
    generation,
    at: blocks.float64(stops, "the stops"),
    samples: blocks.float64(samples, "the steps of samples"),
    newest,
    clock: clock && {
      run: clock.run,
      startTime: clock.start_time,
      step: blocks.float64(clock.points, "the clock's steps"),
      wallTime: blocks.float64(clock.points, "the clock's times"),
    },
  };
}
