// Where a tooltip goes: beside its point on the screen, inside the window, and never under the pointer. Pure.

export interface Size {
  readonly widthPx: number;
  readonly heightPx: number;
}

const AWAY_PX = 18;
export const EDGE_PX = 8;

export function placeTip(
  at: { readonly clientX: number; readonly clientY: number },
  box: Size,
  window: Size,
): { leftPx: number; topPx: number } {
  const right = at.clientX + AWAY_PX;
  const left = at.clientX - AWAY_PX - box.widthPx;
  const fitsRight = right + box.widthPx <= window.widthPx - EDGE_PX;
  const leftPx = fitsRight ? right : left >= EDGE_PX ? left : Math.max(EDGE_PX, window.widthPx - EDGE_PX - box.widthPx);
  // Where it has no room beside the pointer, it goes below or above it.
  const isBeside = leftPx >= at.clientX || leftPx + box.widthPx <= at.clientX;
  const below = at.clientY + AWAY_PX;
  const topPx = isBeside
    ? at.clientY - box.heightPx / 2
    : below + box.heightPx <= window.heightPx
      ? below
      : at.clientY - AWAY_PX - box.heightPx;
  return { leftPx, topPx: Math.max(EDGE_PX, Math.min(topPx, window.heightPx - box.heightPx - EDGE_PX)) };
}
