// Prefetches the data of the first cards before they are created, because creating them takes as long as the response.

import { type CardOffer, type FirstCard, loadCard, loadedCard } from "./dashboards";
import { offeredCards } from "./offered_cards.svelte";
import type { Session } from "../state/session.svelte";
import { isCollapsed } from "./tag_sections";

// Three rows of four columns, as on a large screen. A page of several kinds has room for two: the strip is above.
const FIRST_PLACES = 12;
const FIRST_PLACES_MIXED = 8;

/** Resolves when all requests are sent, with their answers. */
export async function prefetchCards(
  session: Session,
  offers: readonly CardOffer[],
): Promise<readonly Promise<unknown>[]> {
  const cards = offeredCards(session, offers);
  if (!cards.isListed) return [];
  const open = cards.sections
    .filter((section) => !isCollapsed(section, session.settings.collapsed))
    .flatMap((section) => section.ids);
  const places = cards.isMixed ? FIRST_PLACES_MIXED : FIRST_PLACES;
  const first: FirstCard[] = [];
  for (let i = 0, taken = 0; i < open.length && taken < places; i++) {
    const id = open[i] as string;
    taken += cards.sizeOf(id).columns ?? 1;
    first.push({ id, ...cards.ref(id), runs: cards.runsOf(id) });
  }
  const answers = await Promise.all(
    offers.map((offer) => {
      const own = first.filter(({ kind }) => kind === offer.kind);
      if (own.length === 0) return undefined;
      const card = loadedCard(offer);
      if (card) return card.prefetch?.(session, own);
      // The code of other kinds comes while the leading cards are created: nothing waits for it, nor for its data.
      loadCard(offer)
        .then(({ prefetch }) => prefetch?.(session, own))
        .catch(() => undefined);
      return undefined;
    }),
  );
  return answers.flatMap((each) => each ?? []);
}
