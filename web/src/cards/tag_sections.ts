// Sections of tags by prefix, the part before the first slash, and their order. Pinned cards and panels have sections
// of their own. Pure.

import type { TagIndex } from "../api/types";
import { sortNatural } from "../base/natural";

// A prefix has no slash, so these never clash.
export const PINNED = "/pinned";
export const PANELS = "/panels";
/** On a page of several kinds: what has no prefix and is not a scalar, such as the texts that describe each run. */
export const OTHER = "/other";
/** In the order of cards by section: the sections that the user moved to the front. */
const SECTIONS = "/sections";
const NUMBERED = "/numbered/";

export interface Section {
  /** The prefix, PINNED, PANELS or the key of a numbered section. */
  readonly key: string;
  readonly title: string;
  /** Ids of its cards. */
  readonly ids: readonly string[];
  /** Number of cards without the filter. */
  readonly total: number;
  readonly startsCollapsed?: boolean;
  /** Its cards have no heading above them. */
  readonly isBare?: boolean;
  /** The user can move it among the other sections. */
  readonly isMovable?: boolean;
  /** For who looks closer: it comes behind what shows at a glance how training goes. */
  readonly isDetail?: boolean;
  /** Sections that differ by a number; `ids` are those of one member, or of all. */
  readonly numbered?: Numbered;
}

export interface Numbered {
  readonly members: readonly Section[];
  /** Index of the member that is shown. Null: all are. */
  readonly at: number | null;
}

/** `toggled`: keys of the sections that the user has toggled. */
export const isCollapsed = ({ key, startsCollapsed = false }: Section, toggled: ReadonlySet<string>): boolean =>
  toggled.has(key) !== startsCollapsed;

export const prefixOf = (tag: string): string => tag.slice(0, Math.max(0, tag.indexOf("/")));

/** A module of a model: its end tells it from its siblings. */
const MODULE = /^(?:\w+\.){2,}(?=[A-Za-z_]\w*$)/;

/** The folders of a tag, or the modules around one, and its last part. */
export function splitTag(tag: string): [string, string] {
  // A slash at the end would leave an empty name.
  const slash = tag.length < 2 ? -1 : tag.lastIndexOf("/", tag.length - 2);
  const outer = MODULE.exec(tag.slice(slash + 1))?.[0].length ?? 0;
  return [tag.slice(0, slash + 1 + outer), tag.slice(slash + 1 + outer)];
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

/** The cards of a section, those of members that are not shown too. */
export const allIds = ({ ids, numbered }: Section): readonly string[] =>
  numbered ? numbered.members.flatMap((member) => member.ids) : ids;

const FEWEST_MEMBERS = 3;
export const ALL_MEMBERS = "*";

const MEMBER_OPTION = "sections.";

/** The option that keeps which member of a numbered section is shown: its prefix, or ALL_MEMBERS. */
export const memberOption = (key: string): string => MEMBER_OPTION + key.slice(NUMBERED.length);

/** As a text: pages do not list their cards again while it stays the same. */
export const writeMembers = (options: ReadonlyMap<string, string>): string =>
  JSON.stringify([...options].filter(([name]) => name.startsWith(MEMBER_OPTION)));

function readMembers(written: string): (key: string) => string {
  const shown = new Map(JSON.parse(written) as [string, string][]);
  return (key) => shown.get(memberOption(key)) ?? "";
}

const isDigit = (text: string, at: number): boolean => /\d/.test(text.charAt(at));

/** The same for prefixes that differ only in their last number; null without a number. Linear, for hostile tags. */
function withoutNumber(prefix: string): string | null {
  let end = prefix.length;
  while (end > 0 && !isDigit(prefix, end - 1)) end--;
  let start = end;
  while (start > 0 && isDigit(prefix, start - 1)) start--;
  return end === 0 ? null : `${NUMBERED}${prefix.slice(0, start)}#${prefix.slice(end)}`;
}

/** Folds sections that differ only by a number, such as layer1 … layer24, into one. */
function foldNumbered(sections: readonly Section[], memberOf: (key: string) => string): Section[] {
  const byName = new Map<string, Section[]>();
  const keyOf = ({ key }: Section): string => withoutNumber(key) ?? key;
  for (const section of sections) {
    const members = byName.get(keyOf(section));
    if (members) members.push(section);
    else byName.set(keyOf(section), [section]);
  }
  return sections.flatMap((section) => {
    const key = keyOf(section);
    const members = byName.get(key) ?? [];
    if (members.length < FEWEST_MEMBERS) return section;
    const [first, last] = [members[0] as Section, members.at(-1) as Section];
    if (section !== first) return [];
    const shown = memberOf(key);
    const at =
      shown === ALL_MEMBERS
        ? null
        : Math.max(
            0,
            members.findIndex((member) => member.key === shown),
          );
    return {
      key,
      title: `${first.title} … ${last.title}`,
      ids: at === null ? members.flatMap(({ ids }) => ids) : (members[at] as Section).ids,
      total: members.reduce((sum, { total }) => sum + total, 0),
      isDetail: members.every(({ isDetail }) => isDetail),
      numbered: { members, at },
    };
  });
}

// What most people look at first.
const MAIN_TAG = /(?:^|[/_.-])(?:loss|acc|accuracy)$/i;
export const isMainTag = (tag: string): boolean => MAIN_TAG.test(tag);
const FIRST_PREFIXES = [
  /^train(?:ing)?(?:[_. -]|$)/i,
  /^val(?:id(?:ation)?)?(?:[_. -]|$)/i,
  /^test(?:ing)?(?:[_. -]|$)/i,
  /^eval(?:uation)?(?:[_. -]|$)/i,
  /^loss(?:es)?$/i,
  /^acc(?:uracy)?$/i,
];

/** Lower comes first; sections of one rank are in natural order. */
function rankOf({ key, ids, isDetail }: Section): number {
  if (key === OTHER) return Infinity;
  if (key === "" && ids.some(isMainTag)) return -1;
  const rank = FIRST_PREFIXES.findIndex((prefix) => prefix.test(key));
  return rank < 0 ? FIRST_PREFIXES.length + (isDetail ? 1 : 0) : rank;
}

interface Arrangement {
  readonly order: ReadonlyMap<string, readonly string[]>;
  /** From writeMembers. */
  readonly members: string;
  /** Other sections come before these. */
  readonly isBelow: boolean;
}

/** Sections by prefix as a page shows them: numbered ones folded, what matters first, then as the user moved them. */
export function arrangeSections(sections: readonly Section[], { order, members, isBelow }: Arrangement): Section[] {
  const folded = foldNumbered(sections, readMembers(members));
  const ranks = new Map(folded.map((section) => [section, rankOf(section)]));
  const isAnyFirst = [...ranks.values()].some((rank) => rank < FIRST_PREFIXES.length);
  // Tags without a prefix are last, unless there is nothing more important.
  const rank = (section: Section): number =>
    section.key === "" && isAnyFirst && ranks.get(section) !== -1 ? Infinity : (ranks.get(section) ?? 0);
  const sorted = folded.sort((a, b) => rank(a) - rank(b) || 0);
  const byKey = new Map(sorted.map((section) => [section.key, section]));
  return inOrder([...byKey.keys()], order.get(SECTIONS)).map((key, i) => {
    const section = byKey.get(key) as Section;
    const ids = section.numbered?.at === null ? inOrder(section.ids, order.get(key)) : section.ids;
    return { ...section, ids, isMovable: true, isBare: key === "" && i === 0 && !isBelow };
  });
}

/** Moves a section to an index among those that the user can move; `keys` are these, as shown. */
export function moveSection(
  order: ReadonlyMap<string, readonly string[]>,
  keys: readonly string[],
  key: string,
  to: number,
): ReadonlyMap<string, readonly string[]> {
  const from = keys.indexOf(key);
  const next = keys.filter((each) => each !== key);
  next.splice(to, 0, key);
  const before = order.get(SECTIONS) ?? [];
  const present = new Set(keys);
  // The sections behind these are in their own order, and those of other pages keep theirs.
  const moved = Math.max(
    from,
    Math.min(to, keys.length - 1),
    keys.findLastIndex((each) => before.includes(each)),
  );
  const kept = before.filter((each) => !present.has(each));
  return new Map(order).set(SECTIONS, [...next.slice(0, moved + 1), ...kept]);
}

export const hasMovedSections = (order: ReadonlyMap<string, readonly string[]>): boolean => order.has(SECTIONS);

export function resetSections(order: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const next = new Map(order);
  next.delete(SECTIONS);
  return next;
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
