// Where the tooltip of a card goes: beside the card where there is room, otherwise beside the pointer. Measures the
// cards when the tooltip appears and when something scrolls.

import type { Attachment } from "svelte/attachments";
import { type Box, placeBeside, placeTip, type Side, type Size } from "../base/tip_place";

export class BesideCard {
  #around = $state.raw<{ readonly card: Box; readonly others: readonly Box[] } | null>(null);
  #side: Side | null = null;

  /** For the tooltip's element, which is inside its card. */
  readonly find: Attachment<HTMLElement> = (element) => {
    const card = element.closest("article");
    if (!card) return;
    const measure = (): void => {
      // The list of runs shows which run is nearest to the pointer.
      const others = Array.from(document.querySelectorAll("article, [role=treegrid]")).filter((each) => each !== card);
      this.#around = {
        card: card.getBoundingClientRect(),
        others: others.map((each) => each.getBoundingClientRect()),
      };
    };
    measure();
    window.addEventListener("scroll", measure, { capture: true, passive: true });
    return () => window.removeEventListener("scroll", measure, { capture: true });
  };

  place(
    at: { readonly clientX: number; readonly clientY: number },
    tip: Size,
    window: Size,
  ): { leftPx: number; topPx: number } {
    const around = this.#around;
    const beside = around && placeBeside(around.card, tip, window, around.others, this.#side);
    this.#side = beside?.side ?? null;
    return beside ?? placeTip(at, tip, window);
  }
}
