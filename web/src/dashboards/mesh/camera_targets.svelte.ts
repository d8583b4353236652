// The sphere that all cameras of a tag look at until the user moves them: it holds the first mesh of every card, so
// that sizes compare across runs and steps.

import { SvelteMap } from "svelte/reactivity";
import type { Session } from "../../state/session.svelte";
import { type Sphere, unite } from "./pose";

export class CameraTargets {
  /** By tag and index in the batch: the sphere of every card. */
  readonly #cards = new SvelteMap<string, ReadonlyMap<string, Sphere>>();
  readonly #united = new WeakMap<ReadonlyMap<string, Sphere>, Sphere>();

  /** Ignores all but the first sphere of a card. */
  note(place: string, card: string, sphere: Sphere): void {
    const known = this.#cards.get(place);
    if (!known?.has(card)) this.#cards.set(place, new Map([...(known ?? []), [card, sphere]]));
  }

  get(place: string): Sphere | null {
    const cards = this.#cards.get(place);
    if (!cards) return null;
    let united = this.#united.get(cards) ?? null;
    if (!united && (united = unite(cards.values()))) this.#united.set(cards, united);
    return united;
  }

  forget(place: string): void {
    this.#cards.delete(place);
  }

  forgetAll(): void {
    this.#cards.clear();
  }
}

const ofSession = new WeakMap<Session, CameraTargets>();

export function cameraTargetsOf(session: Session): CameraTargets {
  let targets = ofSession.get(session);
  if (!targets) ofSession.set(session, (targets = new CameraTargets()));
  return targets;
}
