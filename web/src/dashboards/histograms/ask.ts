// Where cards ask for their histograms: those that want them alike are asked for in one request.

import type { Client } from "../../api/client";
import type { components } from "../../api/types.gen";
import { BatchQueue } from "../../base/batch_queue";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import { decodeHistograms, type HistogramSeries } from "./histogram_data";

export type HistogramRef = Partial<components["schemas"]["HistogramRef"]> & { run: string; tag: string };
/** How all series of one request are answered. */
export type HistogramLook = Pick<
  components["schemas"]["SeriesBody"],
  "bins" | "x_scale" | "x_range" | "max_steps" | "is_shared"
>;

export interface HistogramQuery {
  readonly series: readonly HistogramRef[];
  readonly look: HistogramLook;
}

export type RankingQuery = Partial<components["schemas"]["RankingBody"]>;
export type Ranking = components["schemas"]["Ranking"];

export const loadRanking = (client: Client, query: RankingQuery, signal: AbortSignal): Promise<Ranking> =>
  client.askBody("histograms/ranking", query, signal);

/** Every step, with the buckets that are in the file. */
export const loadValuesFile = async (
  client: Client,
  query: { readonly run: string; readonly tag: string; readonly format: "csv" | "json" },
): Promise<Blob> => new Blob([await client.bytes("histograms/values", query)]);

const LIMITS = { inFlight: 2, batch: 24, weight: 500 };

export class HistogramDesk {
  readonly #foreseen = new Map<string, Promise<HistogramSeries[]>>();
  readonly #queue = new BatchQueue<HistogramQuery, HistogramSeries[]>(
    (queries, signal) => this.#send(queries, signal),
    LIMITS,
  );

  constructor(private readonly client: Pick<Client, "binary">) {}

  /** What will be asked in a moment, all at once: each question gets its answer of these. */
  foresee(queries: readonly HistogramQuery[]): readonly Promise<unknown>[] {
    const looks = new Set(queries.map(({ look }) => JSON.stringify(look)));
    return [...looks].map((look) => {
      const alike = queries.filter((query) => JSON.stringify(query.look) === look);
      const answers = this.#send(alike, new AbortController().signal);
      alike.forEach((query, i) => {
        const answer = answers.then((each) => each[i] as HistogramSeries[]);
        // What fails is asked again by whoever wants it.
        answer.catch(() => undefined);
        this.#foreseen.set(JSON.stringify(query), answer);
      });
      return answers;
    });
  }

  /** `place`: how far from the top of the page the asking card is. Series that are gone are left out. */
  ask(query: HistogramQuery, place: () => number, signal: AbortSignal): Promise<HistogramSeries[]> {
    const key = JSON.stringify(query);
    const foreseen = this.#foreseen.get(key);
    this.#foreseen.delete(key);
    const ask = (): Promise<HistogramSeries[]> =>
      this.#queue.run(query, JSON.stringify(query.look), query.series.length, place, signal);
    // One of those that were foreseen may be at fault: the others shall not suffer for it.
    return foreseen ? foreseen.catch(ask) : ask();
  }

  /** Questions that want to be answered alike. */
  async #send(queries: readonly HistogramQuery[], signal: AbortSignal): Promise<HistogramSeries[][]> {
    const body = { ...queries[0]?.look, series: queries.flatMap(({ series }) => series), format: "columns" };
    const found = decodeHistograms(await this.client.binary("histograms/series", body, signal));
    if (queries.length === 1) return [found];
    const byKey = new Map(found.map((each) => [`${each.run}\n${each.tag}`, each]));
    return queries.map(({ series }) => series.flatMap(({ run, tag }) => byKey.get(`${run}\n${tag}`) ?? []));
  }
}

/**
 * The histograms of one card; made in its component. `wanted`: null while it is not known yet what to ask for. `place`:
 * how far from the top of the page it is.
 */
export function cardHistograms(
  session: Session,
  wanted: () => HistogramQuery | null,
  place: () => number,
  isWanted: () => boolean,
): CardData<HistogramQuery, HistogramSeries[]> {
  const desk = deskOf(session);
  return new CardData<HistogramQuery, HistogramSeries[]>(session, (query, signal) => desk.ask(query, place, signal), {
    wanted: () => {
      const query = wanted();
      return query && { key: JSON.stringify([session.changes.epoch, query]), query };
    },
    isWanted,
    about: (found, { series }) =>
      found.length > 0
        ? { generation: Math.min(...found.map(({ generation }) => generation)), runs: series.map(({ run }) => run) }
        : null,
  });
}

const desks = new WeakMap<Session, HistogramDesk>();

export function deskOf(session: Session): HistogramDesk {
  let desk = desks.get(session);
  if (!desk) desks.set(session, (desk = new HistogramDesk(session.client)));
  return desk;
}
