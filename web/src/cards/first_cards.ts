// What the first cards of a page need is asked for before any of them is made: making them takes as long as the answer.

import { type CardOffer, loadedCard } from "./dashboards";
import { sampleCards } from "./offered_cards.svelte";
import type { Session } from "../state/session.svelte";
import { isShut } from "./tag_sections";

// As many as a large screen shows.
const FIRST_CARDS = 9;

/** Kept once everything has been asked for, with the answers that are on their way. */
export async function foreseeCards(
  session: Session,
  offers: readonly CardOffer[],
): Promise<readonly Promise<unknown>[]> {
  const cards = sampleCards(session, offers);
  if (!cards.isListed) return [];
  const open = cards.sections
    .filter((section) => !isShut(section, session.settings.collapsed))
    .flatMap((section) => section.ids);
  const first = open.slice(0, FIRST_CARDS).map((id) => ({ id, ...cards.ref(id), runs: cards.runsOf(id) }));
  const answers = await Promise.all(
    offers.map((offer) =>
      loadedCard(offer)?.foresee?.(
        session,
        first.filter(({ kind }) => kind === offer.kind),
      ),
    ),
  );
  return answers.flatMap((each) => each ?? []);
}
