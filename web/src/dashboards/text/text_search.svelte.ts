// The search through all texts of the shown runs: a job, started again when the words, the runs or the logs change.
// What it has found is shown while it runs.

import { ApiError } from "../../api/http";
import { LatestAnswer } from "../../api/latest_answer.svelte";
import type { Job } from "../../api/types";
import { CardData } from "../../cards/card_data.svelte";
import { CANCELLED } from "../../state/jobs.svelte";
import type { Session } from "../../state/session.svelte";
import { type Found, type Hit, type SearchQuery, searchTexts } from "./ask";
import type { TextSettings } from "./options.svelte";

const LIMIT = 200;
/** A key is often followed by the next one. */
const TYPING_MS = 120;
/** A search that ends sooner shows its result alone. */
const PATIENCE_MS = 300;

const STOPPED = "Cancelled.";

/** What a search has found so far. */
interface Search {
  readonly key: string;
  readonly hits: readonly Hit[];
  readonly job: Job | null;
  /** It has found something, or takes longer. */
  readonly isShown: boolean;
}

/** The search for other words is cancelled and not waited for. */
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

  /** Made in a component; ends with it. */
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
    // What was found for other words is not shown with the next ones.
    $effect(() => {
      if (!how.query) this.#answers.forget();
    });
  }

  /** The search that is under way, if it is worth showing. */
  readonly #shown = $derived.by((): Search | null => {
    const search = this.#how.query ? this.#search : null;
    return search?.isShown && search.key === this.#data.key ? search : null;
  });
  /** The job that runs; null: none does. */
  readonly job = $derived.by((): Job | null => this.#shown?.job ?? null);

  /** What is known by now. Null: nothing is sought, or nothing is known yet. */
  readonly found = $derived.by((): Found | null => {
    if (!this.#how.query) return null;
    // A whole answer that grew old is better than a part of the next one.
    if (this.#data.isCurrent || !this.#shown) return this.#data.value;
    return { ...soFar(this.#shown), generation: 0, stopped: null };
  });

  readonly error = $derived.by(() => (this.#how.query ? (this.#data.error?.message ?? "") : ""));

  /** The user has cancelled the search whose hits are shown. */
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
    // The same texts have the same result, however often they are searched and whatever else was logged meanwhile.
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
      // What the user has cancelled does not start again by itself.
      return { ...soFar(search), generation: Number.MAX_SAFE_INTEGER, stopped: STOPPED };
    } finally {
      clearTimeout(timer);
      if (!signal.aborted) this.#search = null;
    }
  }

  /** Where on the cursor's axis a hit stands. */
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

/** The excerpt in pieces, those that match marked. The server counts characters, and JavaScript half ones. */
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
