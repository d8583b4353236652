// Where a tooltip goes: beside the card that it is about; where that has no room, beside its point on the screen,
// inside the window, and never under the pointer. Pure.

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

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const SIDES = ["right", "left", "below", "above"] as const;
export type Side = (typeof SIDES)[number];

const GAP_PX = 6;

/**
 * Beside the card, so that it covers none of the lines that one reads: on the side where it covers least of the others.
 * It stays on `last`, the side where it was, as long as it fits there. Null if it fits on no side.
 */
export function placeBeside(
  card: Box,
  { widthPx, heightPx }: Size,
  window: Size,
  others: readonly Box[],
  last: Side | null,
): { side: Side; leftPx: number; topPx: number } | null {
  const clamp = (at: number, sizePx: number, endPx: number): number =>
    Math.max(EDGE_PX, Math.min(at, endPx - EDGE_PX - sizePx));
  const alongX = clamp(card.left, widthPx, window.widthPx);
  const alongY = clamp(card.top, heightPx, window.heightPx);
  const spots: Readonly<Record<Side, { leftPx: number; topPx: number }>> = {
    right: { leftPx: card.right + GAP_PX, topPx: alongY },
    left: { leftPx: card.left - GAP_PX - widthPx, topPx: alongY },
    below: { leftPx: alongX, topPx: card.bottom + GAP_PX },
    above: { leftPx: alongX, topPx: card.top - GAP_PX - heightPx },
  };
  const fits = ({ leftPx, topPx }: { leftPx: number; topPx: number }): boolean =>
    leftPx >= EDGE_PX &&
    topPx >= EDGE_PX &&
    leftPx + widthPx <= window.widthPx - EDGE_PX &&
    topPx + heightPx <= window.heightPx - EDGE_PX;
  if (last && fits(spots[last])) return { side: last, ...spots[last] };
  const covered = (side: Side): number =>
    others.reduce((sum, other) => {
      const { leftPx, topPx } = spots[side];
      const overX = Math.min(other.right, leftPx + widthPx) - Math.max(other.left, leftPx);
      const overY = Math.min(other.bottom, topPx + heightPx) - Math.max(other.top, topPx);
      return overX > 0 && overY > 0 ? sum + overX * overY : sum;
    }, 0);
  const [best] = SIDES.filter((side) => fits(spots[side]))
    .map((side) => ({ side, areaPx: covered(side) }))
    .sort((a, b) => a.areaPx - b.areaPx);
  return best ? { side: best.side, ...spots[best.side] } : null;
}
