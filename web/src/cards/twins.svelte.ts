// Cards that would show the same as another one, because their runs logged the same: pages show the first of them once,
// for all of its runs. Whoever opens the page says which are the same.

import { SvelteMap } from "svelte/reactivity";
import type { CardKind } from "../api/asset_kind";
import { isSameJson } from "../base/keep_if_equal";
import type { Session } from "../state/session.svelte";

interface Same {
  readonly tag: string;
  /** They log the same under this tag. */
  readonly runs: readonly string[];
}

const ALONE: readonly string[] = [];

export class Twins {
  readonly #byKind = new SvelteMap<CardKind, ReadonlyMap<string, readonly string[]>>();
  readonly #told = new Map<CardKind, readonly Same[]>();

  set(kind: CardKind, same: readonly Same[]): void {
    if (isSameJson(same, this.#told.get(kind) ?? [])) return;
    this.#told.set(kind, same);
    const groups = new Map<string, readonly string[]>();
    for (const { tag, runs } of same) for (const run of runs) groups.set(`${tag}\n${run}`, runs);
    if (groups.size > 0) this.#byKind.set(kind, groups);
    else this.#byKind.delete(kind);
  }

  has(kind: CardKind): boolean {
    return this.#byKind.has(kind);
  }

  /** The runs that log the same as this one, itself included; empty if it is alone. */
  of(kind: CardKind, run: string, tag: string): readonly string[] {
    return this.#byKind.get(kind)?.get(`${tag}\n${run}`) ?? ALONE;
  }
}

const twins = new WeakMap<Session, Twins>();

export function twinsOf(session: Session): Twins {
  let found = twins.get(session);
  if (!found) twins.set(session, (found = new Twins()));
  return found;
}
