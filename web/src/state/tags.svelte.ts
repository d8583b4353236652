// The tags of every run, listed once per kind for charts, the run table and the command palette.

import { SvelteMap } from "svelte/reactivity";
import type { Kind, TagIndex } from "../api/types";

interface Listed {
  readonly index: TagIndex;
  /** An equal list is not replaced, so that nothing is laid out again. */
  readonly text: string;
}

export class Tags {
  readonly #listed = new SvelteMap<Kind, Listed>();
  readonly #wanted = new Set<Kind>();

  constructor(private readonly ask: (kind: Kind) => Promise<TagIndex>) {}

  /** Null until it is listed; the first call requests it. */
  index(kind: Kind): TagIndex | null {
    this.want(kind);
    return this.#listed.get(kind)?.index ?? null;
  }

  /** Lists this kind from now on. If it `comes` with the session's next listing, there is no extra request. */
  want(kind: Kind, { comes = false } = {}): void {
    if (this.#wanted.has(kind)) return;
    this.#wanted.add(kind);
    if (!comes) void this.#list(kind);
  }

  /** The kinds to list. */
  get kinds(): readonly Kind[] {
    return [...this.#wanted];
  }

  take(kind: Kind, index: TagIndex): void {
    const text = JSON.stringify([index.runs, index.tag_sets]);
    if (text !== this.#listed.get(kind)?.text) this.#listed.set(kind, { index, text });
  }

  async #list(kind: Kind): Promise<void> {
    try {
      this.take(kind, await this.ask(kind));
    } catch {
      // The session's own listing reports the error; the next one tries again.
    }
  }
}
