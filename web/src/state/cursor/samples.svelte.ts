// At which steps series have values, for cards that show one value at a time. Requests them together, keeps them while
// a card watches, and requests them again when their run has grown.

import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import { ApiError } from "../../api/http";
import type { SeriesSteps, Steps } from "../../api/steps";
import type { Kind, SeriesRef } from "../../api/types";
import type { Changes } from "../changes.svelte";
import { Pacer } from "../../base/pacer";
import { inStepOrder } from "./step_cursor";

const PACE = { restFactor: 3, minRestMs: 150, maxRestMs: 5_000 };

interface Listed {
  /** Null: the series does not exist (any more). */
  readonly steps: SeriesSteps | null;
  readonly error: ApiError | null;
  readonly generation: number;
}

interface Watched extends SeriesRef {
  readonly kind: Kind;
  watchers: number;
}

type Ask = (kind: Kind, series: readonly SeriesRef[]) => Promise<Steps>;
const keyOf = (kind: Kind, run: string, tag: string): string => `${kind}\n${run}\n${tag}`;

export class Samples {
  /** Raw values: replaced as a whole. */
  readonly #listed = new SvelteMap<string, Listed>();
  readonly #watched = new Map<string, Watched>();
  readonly #due = new Set<string>();
  /** Requested, without a response yet. */
  readonly #underWay = new Set<string>();
  readonly #refreshes = new Pacer(
    () => this.#askAll([...this.#watched.keys()].filter((key) => this.#isOld(key))),
    PACE,
  );

  constructor(
    private readonly ask: Ask,
    private readonly changes: Changes,
  ) {}

  /** Null until it is known. */
  read(kind: Kind, run: string, tag: string): Listed | null {
    return this.#listed.get(keyOf(kind, run, tag)) ?? null;
  }

  /** Keeps the steps of the series up to date; returns the function that stops it. */
  watch(kind: Kind, run: string, tag: string): () => void {
    const key = keyOf(kind, run, tag);
    const watched = this.#watched.get(key) ?? { kind, run, tag, watchers: 0 };
    this.#watched.set(key, watched);
    watched.watchers++;
    // Cards watch in effects, which must not run again whenever some other series becomes known.
    untrack(() => {
      if (!this.#underWay.has(key) && (!this.#listed.has(key) || this.#isOld(key))) this.#plan(key);
    });
    return () => {
      if (--watched.watchers === 0) this.#watched.delete(key);
    };
  }

  /** Requests series that cards will watch in a moment, and returns those that exist. */
  async prefetch(kind: Kind, series: readonly SeriesRef[]): Promise<readonly SeriesSteps[]> {
    await this.#askOne(
      kind,
      series.filter(({ run, tag }) => !this.#listed.has(keyOf(kind, run, tag))),
    );
    return series.flatMap(({ run, tag }) => this.#listed.get(keyOf(kind, run, tag))?.steps ?? []);
  }

  /** Something has changed in the logs. */
  refresh(): void {
    if (this.#watched.size > 0) this.#refreshes.request();
  }

  retry(kind: Kind, run: string, tag: string): void {
    this.#plan(keyOf(kind, run, tag));
  }

  end(): void {
    this.#refreshes.end();
  }

  #isOld(key: string): boolean {
    const watched = this.#watched.get(key);
    const listed = this.#listed.get(key);
    return watched !== undefined && listed !== undefined && this.changes.isNewer(listed.generation, [watched.run]);
  }

  /** Cards of one page ask one after the other, as their code loads, but in one task. */
  #plan(key: string): void {
    if (this.#due.size === 0) {
      setTimeout(() => {
        const due = [...this.#due];
        this.#due.clear();
        void this.#askAll(due);
      });
    }
    this.#due.add(key);
  }

  async #askAll(keys: readonly string[]): Promise<void> {
    const byKind = new Map<Kind, Watched[]>();
    for (const watched of keys.flatMap((key) => this.#watched.get(key) ?? [])) {
      byKind.set(watched.kind, [...(byKind.get(watched.kind) ?? []), watched]);
    }
    await Promise.all([...byKind].map(([kind, series]) => this.#askOne(kind, series)));
  }

  async #askOne(kind: Kind, series: readonly SeriesRef[]): Promise<void> {
    if (series.length === 0) return;
    const refs = series.map(({ run, tag }) => ({ run, tag, key: keyOf(kind, run, tag) }));
    for (const { key } of refs) this.#underWay.add(key);
    try {
      const { generation, series: found } = await this.ask(
        kind,
        refs.map(({ run, tag }) => ({ run, tag })),
      );
      const byKey = new Map(found.map((each) => [keyOf(kind, each.run, each.tag), each]));
      for (const { key } of refs) {
        const steps = byKey.get(key) ?? null;
        const before = this.#listed.get(key);
        // Unchanged steps are not replaced, so that nothing is drawn again.
        const isSame = before?.steps && steps && before.steps.generation === steps.generation;
        this.#listed.set(key, { steps: isSame ? before.steps : steps && inStepOrder(steps), error: null, generation });
      }
    } catch (cause) {
      const error = cause instanceof ApiError ? cause : new ApiError("internal", String(cause));
      for (const { key } of refs) {
        // While the server cannot be reached, the old steps are better than none.
        if (error.code === "unreachable" && this.#listed.get(key)?.steps) continue;
        this.#listed.set(key, { steps: null, error, generation: 0 });
      }
    } finally {
      for (const { key } of refs) this.#underWay.delete(key);
    }
  }
}
