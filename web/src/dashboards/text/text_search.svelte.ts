// Searches all texts of the shown runs as a job, which restarts when the query, the runs or the logs change. Shows hits
// while the job runs.

import { ApiError } from "../../api/http";
import { LatestAnswer } from "../../api/latest_answer.svelte";
import type { Job } from "../../api/types";
import { CardData } from "../../cards/card_data.svelte";
import { CANCELLED } from "../../state/jobs.svelte";
import type { Session } from "../../state/session.svelte";
import { type Found, type Hit, type SearchQuery, searchTexts } from "./ask";
import type { TextSettings } from "./options.svelte";

const LIMIT = 200;
/** Waits for the next key press. */
const TYPING_MS = 120;
/** A faster search shows only its final result. */
const PATIENCE_MS = 300;

const STOPPED = "Cancelled.";

/** The hits of a search so far. */
interface Search {
  readonly key: string;
  readonly hits: readonly Hit[];
  readonly job: Job | null;
  /** True once it has hits or takes longer than `PATIENCE_MS`. */
  readonly isShown: boolean;
}

/** A new query cancels the previous search instead of waiting for it. */
class SearchAnswers extends LatestAnswer<SearchQuery, Found> {
  override want(key: string, query: SearchQuery): void {
    if (this.wantedKey !== null && this.wantedKey !== key) this.rest();
    super.want(key, query);
  }
}

const keyOf = (question: SearchQuery): string => JSON.stringify(question);

export class TextSearch {
  readonly #answers = new SearchAnswers((question, signal) => this.#ask(question, signal));
  readonly #data: CardData<SearchQuery, Found>;
  readonly #session: Session;
  readonly #how: TextSettings;
  /** Raw: replaced as a whole. */
  #search = $state.raw<Search | null>(null);

  /** Create it in a component; it ends with that component. */
  constructor(session: Session, how: TextSettings) {
    this.#session = session;
    this.#how = how;
    this.#data = new CardData(session, this.#answers, {
      wanted: () => {
        const { query, isRegex, isCaseSensitive } = how;
        const runs = session.runs.shown;
        const question = { query, is_regex: isRegex, is_case_sensitive: isCaseSensitive, runs, limit: LIMIT };
        return { key: keyOf(question), query: question };
      },
      isWanted: () => how.query !== "",
      about: ({ generation }, { runs }) => ({ generation, runs }),
    });
    // Do not show old hits with a new query.
    $effect(() => {
      if (!how.query) this.#answers.forget();
    });
  }

  /** The running search, if it is worth showing. */
  readonly #shown = $derived.by((): Search | null => {
    const search = this.#how.query ? this.#search : null;
    return search?.isShown && search.key === this.#data.key ? search : null;
  });
  /** The running job, or null. */
  readonly job = $derived.by((): Job | null => this.#shown?.job ?? null);

  /** The results so far. Null if there is no query or no result yet. */
  readonly found = $derived.by((): Found | null => {
    if (!this.#how.query) return null;
    // An old complete answer is better than part of a new one.
    if (this.#data.isCurrent || !this.#shown) return this.#data.value;
    return { ...soFar(this.#shown), generation: 0, stopped: null };
  });

  readonly error = $derived.by(() => (this.#how.query ? (this.#data.error?.message ?? "") : ""));

  /** True if the user cancelled the search whose hits are shown. */
  readonly isCancelled = $derived.by(() => this.found?.stopped === STOPPED);

  again(): void {
    this.#answers.refresh();
  }

  cancel(): void {
    const { job } = this;
    if (job) this.#session.jobs.cancel(job.id).catch((cause: unknown) => this.#session.messages.say(String(cause)));
  }

  async #ask(question: SearchQuery, signal: AbortSignal): Promise<Found> {
    await new Promise((done) => setTimeout(done, TYPING_MS));
    signal.throwIfAborted();
    let search: Search = { key: keyOf(question), hits: [], job: null, isShown: false };
    const show = (changes: Partial<Search>): void => {
      search = { ...search, ...changes };
      if (!signal.aborted) this.#search = search;
    };
    const timer = setTimeout(() => show({ isShown: true }), PATIENCE_MS);
    // The same texts give the same result, regardless of how often they are searched and what else is logged meanwhile.
    const { generation } = this.#session.changes;
    try {
      const found = await searchTexts(this.#session.jobs, question, {
        signal,
        onjob: (job) => show({ job }),
        onpartials: (parts) => show({ hits: [...search.hits, ...parts.flatMap(({ hits }) => hits)], isShown: true }),
      });
      return { ...found, generation: Math.max(found.generation, generation) };
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.code !== CANCELLED) throw cause;
      // A search that the user cancelled does not restart by itself.
      return { ...soFar(search), generation: Number.MAX_SAFE_INTEGER, stopped: STOPPED };
    } finally {
      clearTimeout(timer);
      if (!signal.aborted) this.#search = null;
    }
  }

  /** The position of a hit on the cursor's axis. */
  placeOf(hit: Hit): number {
    const axis = this.#session.settings.cursorAxis;
    if (axis === "step") return hit.step;
    const start = axis === "wall" ? 0 : Number(this.#session.runs.byName.get(hit.run)?.start_time ?? hit.wall_time);
    return Number(hit.wall_time) - start;
  }
}

const soFar = ({ hits, job }: Search): Pick<Found, "hits" | "searched" | "total"> => ({
  hits: [...hits],
  searched: job?.done ?? 0,
  total: job?.total ?? 0,
});

/**
 * Splits the excerpt into pieces and marks the matches. The server counts code points, but JavaScript counts UTF-16
 * units.
 */
export function piecesOf({ excerpt, matches }: Pick<Hit, "excerpt" | "matches">): { text: string; isMatch: boolean }[] {
  const characters = Array.from(excerpt);
  const pieces: { text: string; isMatch: boolean }[] = [];
  let done = 0;
  for (const [from, to] of matches as [number, number][]) {
    pieces.push(
      { text: characters.slice(done, from).join(""), isMatch: false },
      { text: characters.slice(from, to).join(""), isMatch: true },
    );
    done = to;
  }
  pieces.push({ text: characters.slice(done).join(""), isMatch: false });
  return pieces.filter(({ text }) => text !== "");
}
