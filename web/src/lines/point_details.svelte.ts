// The exact points under the pointer, for the rows of a tooltip: of all points, those nearest to the x. A drawn line
// contains only its reduction.

import type { Client } from "../api/client";
import type { NearestRow, Table, TableQuery } from "../api/types";
import { LatestAnswer } from "../api/latest_answer.svelte";
import { seriesKey } from "./compare";

export interface PointsWanted {
  readonly at: number;
  readonly x: string;
  readonly smoothing: NonNullable<TableQuery["smoothing"]>;
  readonly series: readonly { readonly run: string; readonly tag: string }[];
  /** Of the drawn lines: series that have grown are requested again. */
  readonly generation: number;
}

/** More rows than anybody reads would keep the server busy. */
export const MAX_SERIES = 32;

export class PointDetails {
  readonly #latest: LatestAnswer<TableQuery & { at: number }, Table<NearestRow>>;
  readonly #rows = $derived.by(
    () => new Map(this.#latest.answer?.value.rows.map((row) => [seriesKey(row.run, row.tag), row])),
  );

  constructor(client: Client) {
    this.#latest = new LatestAnswer((query, signal) => client.table(query, signal));
  }

  want({ at, x, smoothing, series, generation }: PointsWanted): void {
    if (series.length === 0) return;
    const query = { at, x, smoothing, series: series.slice(0, MAX_SERIES).map(({ run, tag }) => ({ run, tag })) };
    this.#latest.want(JSON.stringify([query, generation]), query);
  }

  /** The x of the points that `find` returns; slightly behind the pointer. */
  get at(): number | null {
    return this.#latest.answer?.query.at ?? null;
  }

  find(run: string, tag: string): NearestRow | undefined {
    return this.#rows.get(seriesKey(run, tag));
  }

  /** The pointer has left the chart. */
  forget(): void {
    this.#latest.forget();
  }

  end(): void {
    this.#latest.end();
  }
}
