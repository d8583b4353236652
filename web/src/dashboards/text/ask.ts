// Requests texts from the server. Batches simultaneous requests and caches recent texts, because users compare
// neighbouring steps and return to them. Also handles searches and downloads.

import type { Client } from "../../api/client";
import { ApiError } from "../../api/http";
import type { components } from "../../api/types.gen";
import type { Jobs, RunOptions } from "../../state/jobs.svelte";
import type { Session } from "../../state/session.svelte";
import type { Sample } from "../../state/cursor/step_cursor";

export type LoggedText = components["schemas"]["Text"];
type Texts = components["schemas"]["Texts"];
export type Hit = components["schemas"]["Hit"];
export type Found = components["schemas"]["Found"];

export interface SearchQuery {
  readonly query: string;
  readonly is_regex: boolean;
  readonly is_case_sensitive: boolean;
  readonly runs: readonly string[];
  readonly limit: number;
}

type Hits = components["schemas"]["Hits"];

/** Delivers hits as the server finds them. */
export const searchTexts = (jobs: Jobs, query: SearchQuery, options: RunOptions<Hits>): Promise<Found> =>
  jobs.run<Found, Hits>("text.search", query, options);

/** Address of one text as a file. */
export const textAddress = (client: Client, { run, tag, row }: Sample, format: "text" | "json"): string =>
  client.address("text/value", { run, tag, row, format, download: 1 });

/** Address of every step of a series as a file. */
export const seriesAddress = (client: Client, run: string, tag: string): string =>
  client.address("text/series", { run, tag });

const KEPT_PREVIEWS = 400;
const KEPT_WHOLE = 6;
const BATCH = 100;

export const sampleKey = ({ run, tag, row, step, wallTime }: Sample): string =>
  `${run}\n${tag}\n${row}\n${step}\n${wallTime}`;

interface Waiting {
  readonly sample: Sample;
  readonly resolve: (text: LoggedText) => void;
  readonly reject: (cause: unknown) => void;
}

export class TextLoader {
  readonly #previews = new Map<string, Promise<LoggedText>>();
  readonly #whole = new Map<string, Promise<LoggedText>>();
  #waiting: Waiting[] = [];

  constructor(private readonly client: Pick<Client, "ask" | "askBody">) {}

  /** The text, or only its beginning if it is long. */
  preview(sample: Sample): Promise<LoggedText> {
    return remember(
      this.#previews,
      KEPT_PREVIEWS,
      sampleKey(sample),
      () =>
        new Promise((resolve, reject) => {
          if (this.#waiting.length === 0) queueMicrotask(() => this.#send());
          this.#waiting.push({ sample, resolve, reject });
        }),
    );
  }

  whole(sample: Sample): Promise<LoggedText> {
    const { run, tag, row, step, wallTime } = sample;
    return remember(this.#whole, KEPT_WHOLE, sampleKey(sample), () =>
      this.client.ask("text/value", { run, tag, row, step, ...(Number.isFinite(wallTime) && { wall_time: wallTime }) }),
    );
  }

  #send(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < all.length; i += BATCH) void this.#settle(all.slice(i, i + BATCH));
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const bySeries = new Map<string, { run: string; tag: string; rows: number[] }>();
      for (const {
        sample: { run, tag, row },
      } of batch) {
        const key = `${run}\n${tag}`;
        const series = bySeries.get(key) ?? { run, tag, rows: [] };
        bySeries.set(key, series);
        series.rows.push(row);
      }
      const { texts, is_partial: isPartial } = await this.client.askBody<Texts>("text/values", {
        series: [...bySeries.values()],
        limit: BATCH,
      });
      const found = new Map(texts.map((text) => [`${text.run}\n${text.tag}\n${text.row}`, text]));
      const left: Waiting[] = [];
      for (const each of batch) {
        const { run, tag, row, step } = each.sample;
        const text = found.get(`${run}\n${tag}\n${row}`);
        if (text && text.step === step) each.resolve(text);
        else if (!text && isPartial) left.push(each);
        else each.reject(new ApiError("sample_gone", "This text is no longer there: the run was written anew."));
      }
      if (left.length > 0) await this.#settle(left);
    } catch (cause) {
      for (const each of batch) each.reject(cause);
    }
  }
}

/** Evicts the least recently requested entry first and does not keep failures. */
function remember<T>(kept: Map<string, Promise<T>>, size: number, key: string, ask: () => Promise<T>): Promise<T> {
  const answer = kept.get(key) ?? ask();
  kept.delete(key);
  kept.set(key, answer);
  answer.catch(() => kept.get(key) === answer && kept.delete(key));
  const oldest = kept.keys().next();
  if (kept.size > size && !oldest.done) kept.delete(oldest.value);
  return answer;
}

const loaders = new WeakMap<Session, TextLoader>();

export function textLoaderOf(session: Session): TextLoader {
  let loader = loaders.get(session);
  if (!loader) loaders.set(session, (loader = new TextLoader(session.client)));
  return loader;
}
