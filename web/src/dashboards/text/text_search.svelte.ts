// The search through all texts of the shown runs: asked anew when the words, the runs or the logs change.

import { LatestAnswer } from "../../api/latest_answer.svelte";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import { type Found, type Hit, type SearchQuery, searchTexts } from "./ask";
import type { TextSettings } from "./options.svelte";

const LIMIT = 200;

export class TextSearch {
  readonly #data: CardData<SearchQuery, Found>;
  readonly #session: Session;
  readonly #how: TextSettings;

  /** Made in a component; ends with it. */
  constructor(session: Session, how: TextSettings) {
    this.#session = session;
    this.#how = how;
    const answers = new LatestAnswer<SearchQuery, Found>((question, signal) =>
      searchTexts(session.client, question, signal),
    );
    this.#data = new CardData(session, answers, {
      wanted: () => {
        const { query, isRegex, isCaseSensitive } = how;
        const runs = session.runs.shown;
        const question = { query, is_regex: isRegex, is_case_sensitive: isCaseSensitive, runs, limit: LIMIT };
        return { key: JSON.stringify(question), query: question };
      },
      isWanted: () => how.query !== "",
      about: ({ generation }, { runs }) => ({ generation, runs }),
    });
    // What was found for other words is not shown with the next ones.
    $effect(() => {
      if (!how.query) answers.forget();
    });
  }

  /** Null: nothing is sought, or there is no answer yet. */
  readonly found = $derived.by((): Found | null => (this.#how.query ? this.#data.value : null));
  readonly error = $derived.by(() => (this.#how.query ? (this.#data.error?.message ?? "") : ""));

  /** Where on the cursor's axis a hit stands. */
  placeOf(hit: Hit): number {
    const axis = this.#session.settings.cursorAxis;
    if (axis === "step") return hit.step;
    const start = axis === "wall" ? 0 : Number(this.#session.runs.byName.get(hit.run)?.start_time ?? hit.wall_time);
    return Number(hit.wall_time) - start;
  }
}

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
