// The tags of every run by kind, and the names of its assets by family. Listed once for charts, the run table and the
// command palette.

import { SvelteMap } from "svelte/reactivity";
import { type CardKind, isAssetKind } from "../api/asset_kind";
import type { Asset, TagIndex } from "../api/types";

interface Listed {
  readonly index: TagIndex;
  /** An equal list is not replaced, so that nothing is laid out again. */
  readonly text: string;
}

export class Tags {
  readonly #listed = new SvelteMap<CardKind, Listed>();
  readonly #wanted = new Set<CardKind>();
  /** Requests in flight. True: something changed since the request, so another follows. */
  readonly #isStale = new Map<CardKind, boolean>();
  #assetsVersion = "";
  /** Of assets: the version that each list is of. */
  readonly #versions = new Map<CardKind, string>();

  constructor(private readonly ask: (kind: CardKind) => Promise<TagIndex>) {}

  /** Null until the list is here; the first call requests it. */
  index(kind: CardKind): TagIndex | null {
    this.want(kind);
    return this.#listed.get(kind)?.index ?? null;
  }

  /** Lists this kind from now on: at once, unless it `comes` with the session's next listing. */
  want(kind: CardKind, { comes = false } = {}): void {
    if (this.#wanted.has(kind)) return;
    this.#wanted.add(kind);
    if (!comes) void this.#list(kind);
  }

  get kinds(): readonly CardKind[] {
    return [...this.#wanted];
  }

  take(kind: CardKind, index: TagIndex): void {
    const text = JSON.stringify([index.runs, index.tag_sets]);
    if (text !== this.#listed.get(kind)?.text) this.#listed.set(kind, { index, text });
  }

  /** The session's listings bring tags, but no assets. An equal version means that the files are the same. */
  refreshAssets(version: string): void {
    this.#assetsVersion = version;
    for (const kind of this.#wanted)
      if (isAssetKind(kind) && this.#versions.get(kind) !== version) void this.#list(kind);
  }

  /** One request per kind at a time, so that no answer replaces a newer one. */
  async #list(kind: CardKind): Promise<void> {
    if (this.#isStale.has(kind)) {
      this.#isStale.set(kind, true);
      return;
    }
    this.#isStale.set(kind, false);
    const version = this.#assetsVersion;
    try {
      this.take(kind, await this.ask(kind));
      this.#versions.set(kind, version);
    } catch {
      // The session's own listing reports the error; the next one tries again.
    }
    const isStale = this.#isStale.get(kind);
    this.#isStale.delete(kind);
    if (isStale) void this.#list(kind);
  }
}

/** Assets as an index of tags: their names take the place of tags. */
export function indexAssets(generation: number, assets: readonly Asset[]): TagIndex {
  const byRun = new Map<string, [string, string][]>();
  for (const { run, name, family } of assets) {
    const names = byRun.get(run) ?? [];
    byRun.set(run, names);
    names.push([name, family]);
  }
  return {
    generation,
    runs: Object.fromEntries([...byRun.keys()].map((run, i) => [run, i])),
    tag_sets: [...byRun.values()].map((names) => Object.fromEntries(names)),
  };
}
