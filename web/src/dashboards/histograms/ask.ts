// Requests of the histograms dashboard. Cards with equal bin options share a request.

import type { Client } from "../../api/client";
import type { SeriesSteps } from "../../api/steps";
import type { components } from "../../api/types.gen";
import type { Range } from "../../chart/model";
import { BatchQueue } from "../../base/batch_queue";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import type { HistogramSettings } from "./options.svelte";
import { decodeHistograms, type HistogramSeries } from "./histogram_data";

export type HistogramRef = Partial<components["schemas"]["HistogramRef"]> & { run: string; tag: string };
/** Shared by all series of one request. */
export type BinOptions = Pick<
  components["schemas"]["SeriesBody"],
  "bins" | "x_scale" | "x_range" | "max_steps" | "is_shared"
>;

export interface HistogramQuery {
  readonly series: readonly HistogramRef[];
  readonly binOptions: BinOptions;
}

// Users could not tell more apart.
const MOST_RIDGES = 51;
const MOST_COLUMNS = 250;

export const maxSteps = ({ mode }: HistogramSettings): number => (mode === "heat" ? MOST_COLUMNS : MOST_RIDGES);

/** Queries all steps of one run. `zoom`: the visible value range; undefined means all values. */
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

/** The rows in a range of the cursor's axis: all, or `limit` evenly spaced ones with the first and the last. */
export function rowsIn(range: Range, series: SeriesSteps, places: Float64Array, limit: number): number[] {
  const rows = [...series.row].filter((_, i) => {
    const place = places[i] as number;
    return place >= range[0] && place <= range[1];
  });
  if (rows.length <= limit) return rows;
  return Array.from({ length: limit }, (_, i) => rows[Math.round((i * (rows.length - 1)) / (limit - 1))] as number);
}

export type RankingQuery = Partial<components["schemas"]["RankingBody"]>;
export type Ranking = components["schemas"]["Ranking"];

export const loadRanking = (client: Client, query: RankingQuery, signal: AbortSignal): Promise<Ranking> =>
  client.askBody("histograms/ranking", query, signal);

/** Contains every step, with the stored buckets. */
export const loadValuesFile = async (
  client: Client,
  query: { readonly run: string; readonly tag: string; readonly format: "csv" | "json" },
): Promise<Blob> => new Blob([await client.bytes("histograms/values", query)]);

const LIMITS = { inFlight: 2, batch: 24, weight: 500 };

export class HistogramRequests {
  readonly #prefetched = new Map<string, Promise<HistogramSeries[]>>();
  readonly #queue = new BatchQueue<HistogramQuery, HistogramSeries[]>(
    (queries, signal) => this.#send(queries, signal),
    LIMITS,
  );

  constructor(private readonly client: Pick<Client, "binary">) {}

  /** Sends queries early, in few requests; `ask` then uses their responses. */
  prefetch(queries: readonly HistogramQuery[]): readonly Promise<unknown>[] {
    const keys = new Set(queries.map(({ binOptions }) => JSON.stringify(binOptions)));
    return [...keys].map((key) => {
      const alike = queries.filter((query) => JSON.stringify(query.binOptions) === key);
      const answers = this.#send(alike, new AbortController().signal);
      alike.forEach((query, i) => {
        const answer = answers.then((each) => each[i] as HistogramSeries[]);
        // `ask` retries what fails here.
        answer.catch(() => undefined);
        this.#prefetched.set(JSON.stringify(query), answer);
      });
      return answers;
    });
  }

  /** `place`: distance of the card from the top of the page. Omits series that no longer exist. */
  ask(query: HistogramQuery, place: () => number, signal: AbortSignal): Promise<HistogramSeries[]> {
    const key = JSON.stringify(query);
    const prefetched = this.#prefetched.get(key);
    this.#prefetched.delete(key);
    const ask = (): Promise<HistogramSeries[]> =>
      this.#queue.run(query, JSON.stringify(query.binOptions), query.series.length, place, signal);
    // One bad query fails the whole prefetch, so retry this one alone.
    return prefetched ? prefetched.catch(ask) : ask();
  }

  /** All queries have the same bin options. */
  async #send(queries: readonly HistogramQuery[], signal: AbortSignal): Promise<HistogramSeries[][]> {
    const body = { ...queries[0]?.binOptions, series: queries.flatMap(({ series }) => series), format: "columns" };
    const found = decodeHistograms(await this.client.binary("histograms/series", body, signal));
    if (queries.length === 1) return [found];
    const byKey = new Map(found.map((each) => [`${each.run}\n${each.tag}`, each]));
    return queries.map(({ series }) => series.flatMap(({ run, tag }) => byKey.get(`${run}\n${tag}`) ?? []));
  }
}

/** The histograms of one card; created in its component. `wanted`: null until known. `place`: distance from the top. */
export function cardHistograms(
  session: Session,
  wanted: () => HistogramQuery | null,
  place: () => number,
  isWanted: () => boolean,
): CardData<HistogramQuery, HistogramSeries[]> {
  const requests = histogramRequestsOf(session);
  return new CardData<HistogramQuery, HistogramSeries[]>(
    session,
    (query, signal) => requests.ask(query, place, signal),
    {
      wanted: () => {
        const query = wanted();
        return query && { key: JSON.stringify([session.changes.epoch, query]), query };
      },
      isWanted,
      about: (found, { series }) =>
        found.length > 0
          ? { generation: Math.min(...found.map(({ generation }) => generation)), runs: series.map(({ run }) => run) }
          : null,
    },
  );
}

const ofSession = new WeakMap<Session, HistogramRequests>();

export function histogramRequestsOf(session: Session): HistogramRequests {
  let requests = ofSession.get(session);
  if (!requests) ofSession.set(session, (requests = new HistogramRequests(session.client)));
  return requests;
}
