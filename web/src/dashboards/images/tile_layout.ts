// Lays out images of one shape in a box. Pure.

export interface Tiles {
  readonly columns: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

export const TILE_GAP_PX = 4;
// Smaller ones cannot be told apart.
const MIN_SIDE_PX = 40;

/** As large as possible while all fit; scrolls when that is too small. `aspect`: width over height. */
export function layTiles(count: number, aspect: number, boxWidthPx: number, boxHeightPx: number): Tiles {
  let best: Tiles = { columns: 1, widthPx: 0, heightPx: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const roomWidth = (boxWidthPx - (columns - 1) * TILE_GAP_PX) / columns;
    const roomHeight = (boxHeightPx - (rows - 1) * TILE_GAP_PX) / rows;
    const widthPx = Math.floor(Math.min(roomWidth, roomHeight * aspect));
    if (widthPx > best.widthPx) best = { columns, widthPx, heightPx: Math.floor(widthPx / aspect) };
    // More columns only make them narrower.
    if (roomWidth < best.widthPx) break;
  }
  if (Math.min(best.widthPx, best.heightPx) >= MIN_SIDE_PX) return best;
  const least = Math.max(MIN_SIDE_PX, MIN_SIDE_PX * aspect);
  const columns = Math.max(1, Math.min(count, Math.floor((boxWidthPx + TILE_GAP_PX) / (least + TILE_GAP_PX))));
  const widthPx = Math.max(1, Math.floor((boxWidthPx - (columns - 1) * TILE_GAP_PX) / columns));
  return { columns, widthPx, heightPx: Math.max(1, Math.floor(widthPx / aspect)) };
}
