// Where cards ask for their histograms: those that want them alike are asked for in one request.

import type { Client } from "../../api/client";
import type { components } from "../../api/types.gen";
import { BatchQueue } from "../../state/batch_queue";
import type { Session } from "../../state/session.svelte";
import { decodeHistograms, type HistogramSeries } from "./histogram_data";

export type HistogramRef = Partial<components["schemas"]["HistogramRef"]> & { run: string; tag: string };
/** How all series of one request are answered. */
export type HistogramLook = Pick<components["schemas"]["SeriesBody"], "bins" | "x_scale" | "x_range" | "max_steps" | "is_shared">;

export interface HistogramQuery {
  readonly series: readonly HistogramRef[];
  readonly look: HistogramLook;
}

const LIMITS = { inFlight: 2, batch: 24, weight: 500 };

export class HistogramDesk {
  readonly #foreseen = new Map<string, Promise<HistogramSeries[]>>();
  readonly #queue: BatchQueue<HistogramQuery, HistogramSeries[]>;

  constructor(client: Pick<Client, "binary">) {
    this.#queue = new BatchQueue(async (queries, signal) => {
      const body = { ...queries[0]?.look, series: queries.flatMap(({ series }) => series), format: "columns" };
      const found = decodeHistograms(await client.binary("histograms/series", body, signal));
      if (queries.length === 1) return [found];
      const byKey = new Map(found.map((each) => [`${each.run}\n${each.tag}`, each]));
      return queries.map(({ series }) => series.flatMap(({ run, tag }) => byKey.get(`${run}\n${tag}`) ?? []));
    }, LIMITS);
  }

  /** What will be asked in a moment: that question gets this answer. */
  foresee(queries: readonly HistogramQuery[]): void {
    queries.forEach((query, place) => {
      const answer = this.#ask(query, () => place, new AbortController().signal);
      // What fails is told to whoever asks.
      answer.catch(() => undefined);
      this.#foreseen.set(JSON.stringify(query), answer);
    });
  }

  /** `place`: how far from the top of the page the asking card is. Series that are gone are left out. */
  ask(query: HistogramQuery, place: () => number, signal: AbortSignal): Promise<HistogramSeries[]> {
    const key = JSON.stringify(query);
    const foreseen = this.#foreseen.get(key);
    this.#foreseen.delete(key);
    return foreseen ?? this.#ask(query, place, signal);
  }

  #ask(query: HistogramQuery, place: () => number, signal: AbortSignal): Promise<HistogramSeries[]> {
    return this.#queue.run(query, JSON.stringify(query.look), query.series.length, place, signal);
  }
}

const desks = new WeakMap<Session, HistogramDesk>();

export function deskOf(session: Session): HistogramDesk {
  let desk = desks.get(session);
  if (!desk) desks.set(session, (desk = new HistogramDesk(session.client)));
  return desk;
}
