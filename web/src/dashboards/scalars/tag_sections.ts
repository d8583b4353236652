// Tags in sections: what stands before the first slash names the section.

import type { TagIndex } from "../../api/types";

export interface Section {
  /** "" for tags without a slash. */
  readonly name: string;
  readonly tags: readonly string[];
}

const natural = new Intl.Collator("en", { numeric: true });

export const prefixOf = (tag: string): string => tag.slice(0, Math.max(0, tag.indexOf("/")));

/** The last part of a tag, and what stands before it with its slash. */
export function splitTag(tag: string): [string, string] {
  // A slash at the very end would leave nothing to call the card by.
  const slash = tag.length < 2 ? -1 : tag.lastIndexOf("/", tag.length - 2);
  return [tag.slice(0, slash + 1), tag.slice(slash + 1)];
}

/** Sections and tags in natural order (layer2 before layer10), tags without a prefix first. */
export function makeSections(tags: Iterable<string>, matches: (tag: string) => boolean): Section[] {
  const byPrefix = new Map<string, string[]>();
  for (const tag of tags) {
    if (!matches(tag)) continue;
    const prefix = prefixOf(tag);
    const section = byPrefix.get(prefix);
    if (section) section.push(tag);
    else byPrefix.set(prefix, [tag]);
  }
  return [...byPrefix]
    .sort(([a], [b]) => natural.compare(a, b))
    .map(([name, inside]) => ({ name, tags: inside.sort(natural.compare) }));
}

/** Every tag that at least one of the runs has. */
export function tagsOfRuns(index: TagIndex, runs: readonly string[]): Set<string> {
  const sets = new Set(runs.map((run) => index.runs[run]));
  const tags = new Set<string>();
  for (const set of sets) {
    if (set !== undefined) for (const tag of Object.keys(index.tag_sets[set] ?? {})) tags.add(tag);
  }
  return tags;
}

export function runsWithTag(index: TagIndex, runs: readonly string[], tag: string): string[] {
  const hasTag = index.tag_sets.map((set) => Object.hasOwn(set, tag));
  return runs.filter((run) => hasTag[index.runs[run] ?? -1] === true);
}
