// How wide the side panel may be. Pure.

export const MIN_PX = 200;
export const MAX_SHARE = 0.6;
/** Drawn to less than this, it is meant to go. */
const SHUT_PX = 75;

export function settleWidth(px: number, windowPx: number): { widthPx: number; isShut: boolean } {
  const widthPx = Math.round(Math.max(MIN_PX, Math.min(px, windowPx * MAX_SHARE)));
  return { widthPx, isShut: px <= SHUT_PX };
}
