// The cards of some offers: pinned ones first, then sections by prefix, for the shown runs and the tag filter.

import { type CardKind, familyOf, isAssetKind } from "../api/asset_kind";
import { type CardRef, cardId, readCardId } from "./card_id";
import type { CardOffer } from "./dashboards";
import { type FittedHeights, fittedHeightsOf } from "./fitted_heights.svelte";
import type { CardSize } from "./grid_layout";
import { sortNatural } from "../base/natural";
import type { Pattern } from "../base/pattern";
import type { Session } from "../state/session.svelte";
import { TagFilter } from "./tag_filter.svelte";
import {
  allTags,
  arrangeSections,
  inOrder,
  isMainTag,
  makeSection,
  OTHER,
  PINNED,
  prefixOf,
  type Section,
  writeMembers,
} from "./tag_sections";
import { type Twins, twinsOf } from "./twins.svelte";

const NO_RUNS: readonly string[] = [];
/** A longer section beside other kinds has something about each layer or parameter. */
const MOST_AT_A_GLANCE = 24;
/** Of a card whose content is not known yet. */
const UNKNOWN_PX = 180;

/** Profilers write below `plugins/`, which says nothing: the family does. */
const sectionOf = (kind: CardKind, tag: string): string =>
  isAssetKind(kind) && tag.startsWith("plugins/") ? familyOf(kind) : prefixOf(tag);

const last = new WeakMap<Session, { readonly offers: readonly CardOffer[]; readonly cards: OfferedCards }>();

/** Cached for the last offers: listing a thousand cards takes a while. */
export function offeredCards(session: Session, offers: readonly CardOffer[]): OfferedCards {
  const before = last.get(session);
  if (before && before.offers.length === offers.length && before.offers.every((offer, i) => offer === offers[i]))
    return before.cards;
  let made: OfferedCards | undefined;
  // The cards outlive the component that first requests them.
  $effect.root(() => void (made = new OfferedCards(session, offers)));
  const cards = made as unknown as OfferedCards;
  last.set(session, { offers, cards });
  return cards;
}

export class OfferedCards {
  readonly #filter: TagFilter;
  readonly #fitted: FittedHeights;
  readonly #refs = new Map<string, CardRef>();
  readonly #twins: Twins;

  /** Of two offers for one kind, the first counts. */
  constructor(
    private readonly session: Session,
    offers: readonly CardOffer[],
  ) {
    this.#filter = new TagFilter(session.settings);
    this.#fitted = fittedHeightsOf(session);
    this.#twins = twinsOf(session);
    for (const offer of offers) if (!this.#offerOf.has(offer.kind)) this.#offerOf.set(offer.kind, offer);
  }

  readonly #offerOf = new Map<CardKind, CardOffer>();
  /** Several kinds share the page: cards are smaller, but for the main metrics. */
  get isMixed(): boolean {
    return this.#offerOf.size > 1;
  }

  readonly #indices = $derived.by(() =>
    [...this.#offerOf.values()].map((offer) => ({ offer, index: this.session.tags.index(offer.kind) })),
  );
  /** Files are listed by a request of their own, and their cards come when it is answered. */
  readonly isListed = $derived.by(() =>
    this.#indices.every(({ offer, index }) => index !== null || (this.isMixed && isAssetKind(offer.kind))),
  );
  /** In natural order. */
  readonly tags = $derived.by((): readonly string[] => {
    const tags = new Set<string>();
    for (const { offer, index } of this.#indices) {
      for (const tag of index ? allTags(index) : []) if (!offer.skips?.(tag)) tags.add(tag);
    }
    return sortNatural(tags);
  });

  readonly filter = $derived.by((): Pattern => this.#filter.pattern);

  /** The shown runs by kind and tag. */
  readonly #runsOf = $derived.by(() => {
    const { shown } = this.session.runs;
    return new Map(
      this.#indices.map(({ offer, index }) => {
        const byTag = new Map<string, string[]>();
        for (const run of index ? shown : NO_RUNS) {
          const tags = Object.keys(index?.tag_sets[index.runs[run] ?? -1] ?? {}).filter((tag) => !offer.skips?.(tag));
          for (const tag of offer.isLast ? tags.slice(-1) : tags) {
            const runs = byTag.get(tag);
            if (runs) runs.push(run);
            else byTag.set(tag, [run]);
          }
        }
        return [offer.kind, byTag] as const;
      }),
    );
  });

  readonly #members = $derived.by(() => writeMembers(this.session.settings.options));
  readonly sections = $derived.by((): readonly Section[] => {
    const { pinned, order } = this.session.settings;
    const offers = this.#offerOf;
    const mine = pinned.filter((id) => offers.has(this.ref(id).kind));
    const isPinned = new Set(mine);
    // By kind within a section: cards of one kind have one height.
    const byPrefix = new Map<string, string[]>();
    const withoutPrefix = this.#hasScalarWithoutPrefix && this.isMixed ? OTHER : "";
    for (const offer of offers.values()) {
      const isMain = this.#isMain(offer);
      const tags = isMain ? [...this.tags.filter(isMain), ...this.tags.filter((tag) => !isMain(tag))] : this.tags;
      for (const tag of tags) {
        const runs = this.#runsOf.get(offer.kind)?.get(tag);
        if (!runs) continue;
        const prefix = sectionOf(offer.kind, tag) || (offer.kind === "scalar" ? "" : withoutPrefix);
        const ids = byPrefix.get(prefix) ?? [];
        byPrefix.set(prefix, ids);
        for (const run of offer.per === "tag" ? [null] : this.#withoutTwins(offer.kind, tag, runs))
          ids.push(this.#idOf({ kind: offer.kind, run, tag }));
      }
    }
    const { matches: isMatch } = this.filter;
    const matches = (id: string): boolean => isMatch(this.ref(id).tag);
    const first = makeSection(PINNED, "Pinned", mine, matches);
    const sections = sortNatural(byPrefix.keys()).map((prefix) => {
      const ids = (byPrefix.get(prefix) ?? []).filter((id) => !isPinned.has(id));
      const title = prefix === OTHER ? "Other" : prefix || (withoutPrefix ? "Scalars" : "Other");
      const section = makeSection(prefix, title, inOrder(ids, order.get(prefix)), matches);
      return section && { ...section, isDetail: this.#isDetail(ids) };
    });
    const arranged = arrangeSections(
      sections.filter((section) => section !== null),
      { order, members: this.#members, isBelow: first !== null },
    );
    return first ? [first, ...arranged] : arranged;
  });

  get #hasScalarWithoutPrefix(): boolean {
    return [...(this.#runsOf.get("scalar")?.keys() ?? [])].some((tag) => prefixOf(tag) === "");
  }

  #isDetail(ids: readonly string[]): boolean {
    if (!this.isMixed) return false;
    return ids.length > MOST_AT_A_GLANCE || ids.every((id) => this.ref(id).kind === "histogram");
  }

  #isMain({ kind }: CardOffer): ((tag: string) => boolean) | null {
    return this.isMixed && kind === "scalar" ? isMainTag : null;
  }

  /** Of runs that log the same, the first that is shown. */
  #withoutTwins(kind: CardKind, tag: string, runs: readonly string[]): readonly string[] {
    if (!this.#twins.has(kind)) return runs;
    const isShown = new Set(runs);
    return runs.filter((run) => {
      const first = this.#twins.of(kind, run, tag).find((each) => isShown.has(each));
      return first === undefined || first === run;
    });
  }

  #idOf(ref: CardRef): string {
    const id = cardId(ref);
    if (!this.#refs.has(id)) this.#refs.set(id, ref);
    return id;
  }

  /** The same object for the same card. */
  ref(id: string): CardRef {
    let ref = this.#refs.get(id);
    if (!ref) this.#refs.set(id, (ref = readCardId(id)));
    return ref;
  }

  offer(id: string): CardOffer | undefined {
    return this.#offerOf.get(this.ref(id).kind);
  }

  /** The shown runs of a card. */
  runsOf(id: string): readonly string[] {
    const { kind, run, tag } = this.ref(id);
    const shown = this.#runsOf.get(kind)?.get(tag) ?? NO_RUNS;
    if (run === null) return shown;
    const twins = this.#twins.of(kind, run, tag);
    return twins.length === 0 ? [run] : [run, ...twins.filter((each) => each !== run && shown.includes(each))];
  }

  titleOf = (id: string): string => {
    const { tag } = this.ref(id);
    return this.offer(id)?.titleOf?.(tag) ?? tag;
  };

  /** No run has what the card shows. */
  isGone = (id: string): boolean => {
    if (this.offer(id)?.isMade) return false;
    const { kind, run, tag } = this.ref(id);
    const index = this.session.tags.index(kind);
    if (!this.session.isLoaded || !index || this.session.settings.panels.some((panel) => panel.id === id)) return false;
    const sets = run === null ? index.tag_sets : [index.tag_sets[index.runs[run] ?? -1] ?? {}];
    return !sets.some((tags) => Object.hasOwn(tags, tag));
  };

  readonly sizeOf = $derived.by((): ((id: string) => CardSize) => {
    const { cards } = this.session.settings;
    const { all: fitted, below } = this.#fitted;
    return (id) => {
      const { heightPx, isWide = false } = cards.get(id) ?? {};
      const offer = this.offer(id);
      const belowPx = below.get(id) ?? 0;
      const more = belowPx > 0 && { belowPx };
      if (heightPx !== undefined || !offer) return { heightPx: (heightPx ?? 0) + belowPx, isWide, ...more };
      if (offer.isFitted) {
        const tallestPx = this.isMixed ? this.#fitted.tallest(id) : undefined;
        return {
          heightPx: Math.min(fitted.get(id) ?? UNKNOWN_PX, offer.heightPx),
          isWide,
          isFitted: true,
          ...(tallestPx !== undefined && { stackPx: tallestPx }),
        };
      }
      return {
        heightPx: offer.heightPx + belowPx,
        isWide,
        ...more,
        ...(offer.isPicture && { isPicture: true }),
        ...(this.#isMain(offer)?.(this.ref(id).tag) && { columns: 2 }),
      };
    };
  });
}
