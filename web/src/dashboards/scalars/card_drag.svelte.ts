// The card being dragged, and what a drop at the current place would do.

import type { Session } from "../../state/session.svelte";
import { combine, moveCard } from "./card_order";
import type { ScalarsPage } from "./scalars_page.svelte";
import { PINNED, type Section } from "../../cards/tag_sections";

export type Zone = "before" | "into" | "after";

interface Dragged {
  readonly id: string;
  readonly section: string;
}

const EDGE = 0.25;

/** `ratio` is the pointer's distance from the left edge, from 0 to 1. */
export function zoneAt(ratio: number, canMove: boolean): Zone {
  if (!canMove) return "into";
  return ratio < EDGE ? "before" : ratio > 1 - EDGE ? "after" : "into";
}

export class CardDrag {
  #dragged = $state.raw<Dragged | null>(null);
  #over = $state.raw<{ readonly id: string; readonly zone: Zone } | null>(null);

  constructor(
    private readonly session: Session,
    private readonly page: ScalarsPage,
  ) {}

  zone(id: string): Zone | null {
    return this.#over?.id === id ? this.#over.zone : null;
  }

  isDragged(id: string): boolean {
    return this.#dragged?.id === id;
  }

  start(event: DragEvent, id: string, section: Section): void {
    this.#dragged = { id, section: section.key };
    if (!event.dataTransfer) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", this.page.titleOf(id).slice(0, 1_000));
  }

  move(event: DragEvent & { currentTarget: HTMLElement }, id: string, section: Section): void {
    if (!this.#dragged || this.#dragged.id === id) return;
    event.preventDefault();
    const box = event.currentTarget.getBoundingClientRect();
    // A card stays in its section, but dropping any card among the pinned ones pins it.
    const canMove = section.key === this.#dragged.section || section.key === PINNED;
    const zone = zoneAt((event.clientX - box.left) / box.width, canMove);
    if (this.#over?.id !== id || this.#over.zone !== zone) this.#over = { id, zone };
  }

  leave(id: string): void {
    if (this.#over?.id === id) this.#over = null;
  }

  drop(event: DragEvent, id: string, section: Section): void {
    const dragged = this.#dragged;
    const zone = this.zone(id);
    this.end();
    if (!dragged || !zone) return;
    event.preventDefault();
    const { settings } = this.session;
    if (zone === "into")
      settings.set(combine(settings.view, this.page.spec(dragged.id), this.page.spec(id), this.page.isTag));
    else settings.set(moveCard(settings.view, section, dragged.id, zone, id));
  }

  end(): void {
    this.#dragged = null;
    this.#over = null;
  }
}
