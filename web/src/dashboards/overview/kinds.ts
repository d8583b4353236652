// Which kinds of cards the overview shows: all, except those that the user turned off. Pure.

import type { CardKind } from "../../api/asset_kind";
import type { TagIndex } from "../../api/types";
import type { CardOffer, Tab } from "../../cards/dashboards";
import { setsOf, tagsOfSets } from "../../cards/tag_sections";

export interface KindChip {
  /** Of the dashboard whose cards these are; in the address too. */
  readonly name: string;
  readonly title: string;
  readonly offers: readonly CardOffer[];
  readonly isOn: boolean;
}

/** One chip for each dashboard whose cards are on this page; of two that show one kind, the first. */
export function kindChips(tabs: readonly Tab[], off: ReadonlySet<string>): readonly KindChip[] {
  const seen = new Set<CardKind>();
  const chips: KindChip[] = [];
  for (const { name, title, cards = [], is_active } of tabs) {
    const offers = cards.filter(({ kind, isMade }) => !isMade && !seen.has(kind));
    for (const { kind } of offers) seen.add(kind);
    if (is_active && offers.length > 0) chips.push({ name, title, offers, isOn: !off.has(name) });
  }
  return chips;
}

/** The offers of all tabs without those that are off. What is made by the user stays, because only pinned ones show. */
export function shownOffers(tabs: readonly Tab[], off: ReadonlySet<string>): readonly CardOffer[] {
  return tabs.flatMap(({ name, cards = [], is_active }) =>
    is_active ? cards.filter(({ isMade }) => isMade === true || !off.has(name)) : [],
  );
}

/** How many tags these offers show for the runs; null while they are not listed. */
export function countTags(
  offers: readonly CardOffer[],
  runs: readonly string[],
  indexOf: (kind: CardKind) => TagIndex | null,
): number | null {
  let count = 0;
  for (const { kind, skips } of offers) {
    const index = indexOf(kind);
    if (!index) return null;
    for (const tag of tagsOfSets(index, setsOf(index, runs))) if (!skips?.(tag)) count++;
  }
  return count;
}
