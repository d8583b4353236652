// The tags of every run, listed once a kind for all who ask: charts, the run table, the command palette.

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

  /** Null until it was listed; asking for it begins that. */
  index(kind: Kind): TagIndex | null {
    this.want(kind);
    return this.#listed.get(kind)?.index ?? null;
  }

  /** List this kind from now on; unless it `comes` with the session's next listing, it is asked for at once. */
  want(kind: Kind, { comes = false } = {}): void {
    if (this.#wanted.has(kind)) return;
    this.#wanted.add(kind);
    if (!comes) void this.#list(kind);
  }

  /** What somebody wants. */
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
      // The session's own listings say what is wrong; the next one asks again.
    }
  }
}
