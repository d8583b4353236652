// What the cards of a tag look at when nobody has moved their cameras: one sphere around the meshes that they showed
// first, so that sizes can be compared across runs, and a mesh that grows from step to step is seen to grow.

import { SvelteMap } from "svelte/reactivity";
import type { Session } from "../../state/session.svelte";
import { type Sphere, unite } from "./pose";

export class Homes {
  /** By tag and number in the batch, the sphere of every card. Raw values: replaced whole. */
  readonly #cards = new SvelteMap<string, ReadonlyMap<string, Sphere>>();
  readonly #united = new WeakMap<ReadonlyMap<string, Sphere>, Sphere>();

  /** Only the first that a card shows counts. */
  note(place: string, card: string, sphere: Sphere): void {
    const known = this.#cards.get(place);
    if (!known?.has(card)) this.#cards.set(place, new Map([...(known ?? []), [card, sphere]]));
  }

  home(place: string): Sphere | null {
    const cards = this.#cards.get(place);
    if (!cards) return null;
    let united = this.#united.get(cards) ?? null;
    if (!united && (united = unite(cards.values()))) this.#united.set(cards, united);
    return united;
  }

  /** From now on, around what cards show now. */
  forget(place: string): void {
    this.#cards.delete(place);
  }

  forgetAll(): void {
    this.#cards.clear();
  }
}

const ofSession = new WeakMap<Session, Homes>();

export function homesOf(session: Session): Homes {
  let homes = ofSession.get(session);
  if (!homes) ofSession.set(session, (homes = new Homes()));
  return homes;
}
