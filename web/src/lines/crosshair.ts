// The crosshair that all charts show at the x of the pointer, except the chart that the pointer is in.

import type { Session } from "../state/session.svelte";

/** Null: none, or the pointer is in this card. */
export function crosshairIn({ crosshair }: Session, id: string): number | null {
  return crosshair && crosshair.card !== id ? crosshair.x : null;
}

/** The pointer is at this x of the card; null: it left. */
export function setCrosshair(session: Session, id: string, x: number | null): void {
  if (x !== null) session.crosshair = { card: id, x };
  else if (session.crosshair?.card === id) session.crosshair = null;
}
