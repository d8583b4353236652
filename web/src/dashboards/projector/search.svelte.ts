// Finds points: all matches are counted, ringed and gone through. Text, patterns and exact values are looked for by the
// server in all columns; conditions on columns are tested here. Created in a component and ends with it.

import { ApiError } from "../../api/http";
import { CardData } from "../../cards/card_data.svelte";
import type { EmbeddingRef, SearchMode } from "./answer";
import { searchRows } from "./ask";
import { seriesKey } from "./embedding_ref";
import { type Condition, readCondition } from "./find_rows";
import { searchMode, searchText, setSearchMode, setSearchText } from "./options";
import type { ProjectorPage } from "./projector_page.svelte";

interface Query {
  readonly embedding: EmbeddingRef;
  readonly text: string;
  readonly mode: SearchMode;
  readonly condition: Condition | null;
}

const NONE = new Int32Array();

export class Search {
  /** The match that the user is at; -1: none. */
  #at = $state(-1);
  readonly #data: CardData<Query, Int32Array>;

  constructor(private readonly page: ProjectorPage) {
    this.#data = new CardData(page.session, (query, signal) => this.#find(query, signal), {
      wanted: () => {
        const { embedding, about } = page;
        const text = this.text.trim();
        if (!embedding || !about || text === "" || this.#condition?.error) return null;
        // Rows that the user edits may match, or not any more.
        const edited = this.#condition ? [...page.columns.edited.values()].map(({ name }) => name).join() : "";
        const key = JSON.stringify([page.key, text, this.mode, edited]);
        return { key, query: { embedding, text, mode: this.mode, condition: this.#condition } };
      },
      isWanted: () => true,
    });
  }

  readonly text = $derived.by(() => searchText(this.page.settings));
  readonly mode = $derived.by(() => searchMode(this.page.settings));
  readonly #condition = $derived.by((): Condition | null =>
    this.mode === "text" ? readCondition(this.text.trim(), this.page.columns.infos) : null,
  );
  readonly isSearching = $derived.by(() => this.text.trim() !== "");
  /** All rows that match, ascending; maybe those of the text before, never those of another embedding. */
  readonly rows = $derived.by((): Int32Array => {
    const { answer } = this.#data;
    if (!answer || !this.isSearching || this.problem !== "") return NONE;
    return seriesKey(answer.query.embedding) === seriesKey(this.page.embedding) ? answer.value : NONE;
  });
  readonly isCurrent = $derived.by(() => this.#data.isCurrent);
  readonly problem = $derived.by((): string => this.#condition?.error || (this.#data.failure?.message ?? ""));
  readonly index = $derived.by(() => (this.#at < this.rows.length ? this.#at : -1));

  type(text: string): void {
    this.#at = -1;
    setSearchText(this.page.settings, text);
  }

  setMode(mode: SearchMode): void {
    this.#at = -1;
    setSearchMode(this.page.settings, mode);
  }

  /** The next match, or the one before; after the last comes the first. */
  step(by: 1 | -1): void {
    const count = this.rows.length;
    if (count === 0) return;
    const { index } = this;
    this.go(index < 0 ? (by > 0 ? 0 : count - 1) : (index + by + count) % count);
  }

  go(index: number): void {
    const row = this.rows[index];
    if (row === undefined) return;
    this.#at = index;
    this.page.reveal(row);
  }

  async #find({ embedding, text, mode, condition }: Query, signal: AbortSignal): Promise<Int32Array> {
    const { columns, session } = this.page;
    if (!condition) return searchRows(session.client, { embedding, q: text, column: null, mode }, signal);
    const loaded = await Promise.all(condition.names.map((name) => columns.load(name)));
    try {
      return condition.find(new Map(loaded.map((column) => [column.name, column])), this.page.count);
    } catch (cause) {
      throw new ApiError("query", cause instanceof Error ? cause.message : String(cause));
    }
  }
}
