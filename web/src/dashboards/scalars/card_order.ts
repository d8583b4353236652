// Computes how a drop or a menu item changes the view: moves cards and combines them into panels. Pure.

import type { Panel, View } from "../../state/view/view";
import type { CardSpec } from "../../lines/card_model";
import { naturalKey } from "../../base/natural";
import { PINNED, type Section } from "../../cards/tag_sections";

export type Side = "before" | "after";
type Cards = Pick<View, "pinned" | "order" | "panels" | "cards">;

/** Moves the card to that side of the target, within the same section or into the pinned cards. */
export function moveCard(view: Cards, section: Section, id: string, side: Side, target: string): Partial<View> {
  if (id === target) return {};
  if (section.key === PINNED) return { pinned: insert(view.pinned, id, side, target) };
  const ids = insert(section.ids, id, side, target);
  const order = new Map(view.order);
  const first = shortest(ids);
  if (first.length > 0) order.set(section.key, first);
  else order.delete(section.key);
  return { order };
}

function insert(ids: readonly string[], id: string, side: Side, target: string): string[] {
  const others = ids.filter((each) => each !== id);
  const at = others.indexOf(target);
  others.splice(at < 0 ? others.length : at + Number(side === "after"), 0, id);
  return others;
}

/** Returns only the ids that must be stored; the rest follow in natural order. */
function shortest(ids: readonly string[]): string[] {
  let length = ids.length - 1;
  while (length > 0 && naturalKey(ids[length - 1] as string) <= naturalKey(ids[length] as string)) length--;
  return ids.slice(0, Math.max(0, length));
}

/**
 * Adds tags to a panel, or makes a panel from a tag's card and those tags. A new panel goes into `pinned` after the
 * card, or last if the card is not pinned.
 */
export function addSeries(
  view: Cards,
  spec: CardSpec,
  tags: readonly string[],
  isTaken: (id: string) => boolean,
): Partial<View> {
  const all = [...new Set([...spec.tags, ...tags])];
  const panel = view.panels.find((each) => each.id === spec.id);
  if (panel) return { panels: view.panels.map((each) => (each === panel ? { ...panel, tags: all } : each)) };
  const made: Panel = { id: freeId(view.panels, isTaken), tags: all, right: [] };
  const at = view.pinned.indexOf(spec.id);
  const pinned = [...view.pinned];
  pinned.splice(at < 0 ? pinned.length : at + 1, 0, made.id);
  return { panels: [...view.panels, made], pinned };
}

/** Combines both cards into one chart: a panel gets the other card's tags. Of two panels, the target stays. */
export function combine(
  view: Cards,
  dropped: CardSpec,
  target: CardSpec,
  isTaken: (id: string) => boolean,
): Partial<View> {
  if (dropped.id === target.id) return {};
  const isPanel = (spec: CardSpec): boolean => view.panels.some((panel) => panel.id === spec.id);
  if (isPanel(dropped) && !isPanel(target)) return addSeries(view, dropped, target.tags, isTaken);
  const change = addSeries(view, target, dropped.tags, isTaken);
  return isPanel(dropped) ? { ...change, ...removePanel({ ...view, ...change }, dropped.id) } : change;
}

export function removePanel(view: Cards, id: string): Partial<View> {
  const cards = new Map(view.cards);
  cards.delete(id);
  return {
    cards,
    panels: view.panels.filter((panel) => panel.id !== id),
    pinned: view.pinned.filter((each) => each !== id),
  };
}

/** Removing the last tag also removes the panel. */
export function removeTag(view: Cards, { id, tags }: CardSpec, tag: string): Partial<View> {
  const left = tags.filter((each) => each !== tag);
  if (left.length === 0) return removePanel(view, id);
  return {
    panels: view.panels.map((panel) =>
      panel.id === id ? { ...panel, tags: left, right: panel.right.filter((each) => each !== tag) } : panel,
    ),
  };
}

export function toggleRight(view: Cards, id: string, tag: string): Partial<View> {
  const flip = (right: readonly string[]): string[] =>
    right.includes(tag) ? right.filter((each) => each !== tag) : [...right, tag];
  return { panels: view.panels.map((panel) => (panel.id === id ? { ...panel, right: flip(panel.right) } : panel)) };
}

function freeId(panels: readonly Panel[], isTaken: (id: string) => boolean): string {
  for (let number = 1; ; number++) {
    const id = `panel${number}`;
    if (!isTaken(id) && !panels.some((panel) => panel.id === id)) return id;
  }
}
