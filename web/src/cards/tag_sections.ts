// Sections of tags by prefix, the part before the first slash. Pinned cards and panels have sections of their own.
// Pure.

import type { TagIndex } from "../api/types";
import { sortNatural } from "../base/natural";

// A prefix has no slash, so these never clash.
export const PINNED = "/pinned";
export const PANELS = "/panels";

export interface Section {
  /** The prefix, PINNED or PANELS. */
  readonly key: string;
  readonly title: string;
  /** Ids of its cards. */
  readonly ids: readonly string[];
  /** Number of cards without the filter. */
  readonly total: number;
  readonly startsCollapsed?: boolean;
}

/** `toggled`: keys of the sections that the user has toggled. */
export const isCollapsed = ({ key, startsCollapsed = false }: Section, toggled: ReadonlySet<string>): boolean =>
  toggled.has(key) !== startsCollapsed;

export const prefixOf = (tag: string): string => tag.slice(0, Math.max(0, tag.indexOf("/")));

/** The folders of a tag, and its last part. */
export function splitTag(tag: string): [string, string] {
  // A slash at the end would leave an empty name.
  const slash = tag.length < 2 ? -1 : tag.lastIndexOf("/", tag.length - 2);
  return [tag.slice(0, slash + 1), tag.slice(slash + 1)];
}

/** Tags by prefix, both in natural order, tags without a prefix first. */
export function groupTags(tags: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const byPrefix = new Map<string, string[]>();
  for (const tag of sortNatural(tags)) {
    const prefix = prefixOf(tag);
    const inside = byPrefix.get(prefix);
    if (inside) inside.push(tag);
    else byPrefix.set(prefix, [tag]);
  }
  return new Map(sortNatural(byPrefix.keys()).map((prefix) => [prefix, byPrefix.get(prefix) ?? []]));
}

/** The ids in `first`, then the others. */
export function inOrder(ids: readonly string[], first: readonly string[] | undefined): readonly string[] {
  if (!first || first.length === 0) return ids;
  const present = new Set(ids);
  const leading = first.filter((id) => present.has(id));
  const isLeading = new Set(leading);
  return [...leading, ...ids.filter((id) => !isLeading.has(id))];
}

/** Null when the filter matches none of its cards. */
export function makeSection(
  key: string,
  title: string,
  ids: readonly string[],
  matches: (id: string) => boolean,
): Section | null {
  const matching = ids.filter(matches);
  return matching.length > 0 ? { key, title, ids: matching, total: ids.length } : null;
}

/** Every tag that at least one run has. */
export function allTags(index: TagIndex): Set<string> {
  const tags = new Set<string>();
  for (const set of index.tag_sets) for (const tag of Object.keys(set)) tags.add(tag);
  return tags;
}

/** Which of the index's tag sets these runs have, each once and in order. */
export function setsOf(index: TagIndex, runs: readonly string[]): number[] {
  const sets = new Set<number>();
  for (const run of runs) {
    const set = index.runs[run];
    if (set !== undefined) sets.add(set);
  }
  return [...sets].sort((a, b) => a - b);
}

export function tagsOfSets(index: TagIndex, sets: readonly number[]): Set<string> {
  const tags = new Set<string>();
  for (const set of sets) for (const tag of Object.keys(index.tag_sets[set] ?? {})) tags.add(tag);
  return tags;
}
