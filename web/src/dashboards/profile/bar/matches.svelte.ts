// Goes through the matches of a search, one after the other, in the order of time. The timeline counts and marks them.

import type { ProfilePage } from "../profile_page.svelte";
import type { Timeline } from "../trace/timeline.svelte";

export class Matches {
  /** The match that the user is at: its place among all, and the search that it was found by. */
  #at = $state.raw<{ readonly key: string; readonly event: number; readonly index: number } | null>(null);
  #abort = new AbortController();

  constructor(
    private readonly page: ProfilePage,
    private readonly timeline: Timeline,
  ) {}

  readonly #key = $derived.by(() => {
    const { q, searchIn, searchMode } = this.timeline;
    return JSON.stringify([q.trim(), searchIn, searchMode]);
  });
  /** From 0; null: the user is at none. */
  readonly index = $derived.by((): number | null =>
    this.#at && this.#at.key === this.#key && this.#at.event === this.timeline.selected ? this.#at.index : null,
  );

  /** The next match after the selected event, or after the left edge of what is visible; after the last the first. */
  async step(by: 1 | -1): Promise<void> {
    const { page, timeline } = this;
    const { source } = timeline;
    const q = timeline.q.trim();
    if (!source || q === "") return;
    const key = this.#key;
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    try {
      const { ref, index } = await source.match(
        { q, in: timeline.searchIn, mode: timeline.searchMode },
        { event: timeline.selected, from_ps: Math.round(by > 0 ? timeline.view.from : timeline.view.to) },
        by > 0 ? "next" : "previous",
      );
      if (signal.aborted || !ref) return;
      timeline.reveal(ref);
      this.#at = { key, event: ref.event, index: index ?? 0 };
    } catch (cause) {
      if (!signal.aborted)
        page.session.messages.say(`Could not search. ${cause instanceof Error ? cause.message : String(cause)}`, {
          isError: true,
        });
    }
  }
}
