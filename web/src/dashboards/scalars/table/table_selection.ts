// Which x values a card has selected: on its own, through the page's mode, or linked with all cards. Pure, except for
// the one function that stores the user's change.

import type { Settings } from "../../../state/view/settings.svelte";
import type { CardView, Range, Selecting, View } from "../../../state/view/view";

// A card's own selection overrides the page's mode until the mode changes. It is stored as
//   []      the user cleared it here,
//   [s]     s alone; in range mode, if converted from a single selection: from the first x to s,
//   [s, s]  s alone in range mode,
//   [a, b]  a range.

export type SelectionView = Pick<View, "selecting" | "isSelectionLinked" | "linkedSelection">;

export interface ShownSelection {
  /** None, one or two x values inside the card's data, ascending. */
  readonly selection: readonly number[];
  /** True if part of the selection is outside the card's data. */
  readonly isClipped: boolean;
}

const NOTHING: ShownSelection = { selection: [], isClipped: false };

/** `extent` is the first and last x of the card's data, or null while it has none. */
export function shownSelection(
  view: SelectionView,
  own: readonly number[] | undefined,
  extent: Range | null,
): ShownSelection {
  if (!extent) return NOTHING;
  const stored = storedSelection(view, own);
  if (stored === undefined) return { selection: view.selecting === "range" ? extent : [extent[1]], isClipped: false };
  const [first, last] = stored;
  if (first === undefined) return NOTHING;
  if (last === undefined) return view.selecting === "range" ? clip([extent[0], first], extent) : clip([first], extent);
  return first === last ? clip([first], extent) : clip(stored, extent);
}

/** The stored selection. Undefined if the card starts with a default from its first and last x. */
function storedSelection(view: SelectionView, own: readonly number[] | undefined): readonly number[] | undefined {
  const isLinked = view.isSelectionLinked && view.selecting !== "none";
  if (isLinked) return view.linkedSelection.length > 0 ? view.linkedSelection : undefined;
  return own ?? (view.selecting === "none" ? [] : undefined);
}

function clip(values: readonly number[], [low, high]: Range): ShownSelection {
  const selection = values.map((value) => Math.min(Math.max(value, low), high)).sort((a, b) => a - b);
  return { selection, isClipped: values.some((value) => value < low || value > high) };
}

/** Stores the user's change to a card that showed `shown`. */
export function writeSelection(
  settings: Settings,
  id: string,
  shown: readonly number[],
  next: readonly number[],
): void {
  const change = changeSelection(settings.view, settings.card(id).selection, shown, next);
  if ("card" in change) settings.setCard(id, { selection: change.card });
  else settings.set(change.page);
}

export type SelectionChange = { readonly card: readonly number[] | undefined } | { readonly page: Partial<View> };

export function changeSelection(
  view: SelectionView,
  own: readonly number[] | undefined,
  shown: readonly number[],
  next: readonly number[],
): SelectionChange {
  // Keep an end that was only clipped for this card and not moved, so that other cards still see the original.
  const stored = storedSelection(view, own) ?? [];
  const isWhole = stored.length === shown.length;
  const kept = next.map((value) => (isWhole ? (stored[shown.indexOf(value)] ?? value) : value)).sort((a, b) => a - b);
  if (view.isSelectionLinked) {
    const selecting: Selecting = kept.length === 0 ? "none" : kept.length === 1 ? "step" : "range";
    return { page: { selecting, linkedSelection: kept } };
  }
  if (kept.length === 0) return { card: view.selecting === "none" ? undefined : [] };
  const [only] = kept;
  return { card: kept.length === 1 && only !== undefined && view.selecting === "range" ? [only, only] : kept };
}

/**
 * Changes the page's mode. The cards' own selections follow, and a single selection becomes a range from the first x.
 */
export function changeSelecting(view: View, selecting: Selecting): Partial<View> {
  const cards = new Map<string, CardView>();
  for (const [id, { selection, ...others }] of view.cards) {
    const kept = selection && convert(selection, selecting);
    const card: CardView = kept ? { ...others, selection: kept } : others;
    if (Object.keys(card).length > 0) cards.set(id, card);
  }
  return { selecting, cards, linkedSelection: convert(view.linkedSelection, selecting) ?? [] };
}

function convert(selection: readonly number[], selecting: Selecting): readonly number[] | undefined {
  const last = selection.at(-1);
  if (selecting === "none" || last === undefined) return undefined;
  if (selecting === "range" && selection.length === 2 && selection[0] !== last) return selection;
  return [last];
}

/** Linking starts from the first selection found on a card. */
export function changeLinked(view: View, isSelectionLinked: boolean): Partial<View> {
  if (!isSelectionLinked) return { isSelectionLinked };
  const own = [...view.cards.values()]
    .map((card) => card.selection)
    .find((selection) => selection && selection.length > 0);
  if (!own) return { isSelectionLinked };
  const [first, last] = own;
  const linkedSelection = first === last && first !== undefined ? [first] : own;
  const selecting = linkedSelection.length === 2 ? "range" : view.selecting === "none" ? "step" : view.selecting;
  return { isSelectionLinked, linkedSelection, selecting };
}
