// Points as pictures: how large, and painted on a canvas.

import type { View } from "./camera";
import type { Palette } from "./palette";
import type { Tile } from "./row_texts";

export interface ShownPicture {
  readonly tile: Tile;
  readonly x: number;
  readonly y: number;
  readonly depth: number;
  /** Around it. */
  readonly color: string | null;
  readonly isSelected: boolean;
}

/** As large as so many pictures have room for, if they were spread evenly; points that are close overlap. */
export const pictureSize = ({ widthPx, heightPx }: View, count: number): number =>
  Math.min(Math.max(Math.round(0.62 * Math.sqrt((widthPx * heightPx) / Math.max(count, 1))), 14), 56);

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export function paintPictures(ctx: Context, pictures: readonly ShownPicture[], sizePx: number, palette: Palette): void {
  ctx.globalAlpha = 1;
  ctx.imageSmoothingEnabled = sizePx < (pictures[0]?.tile.sizePx ?? 0);
  const half = sizePx / 2;
  for (const { tile, x, y, color, isSelected } of [...pictures].sort((a, b) => b.depth - a.depth)) {
    if (isSelected || color) {
      const edge = isSelected ? 2.5 : 1;
      ctx.fillStyle = isSelected ? palette.accent : (color as string);
      ctx.fillRect(x - half - edge, y - half - edge, sizePx + 2 * edge, sizePx + 2 * edge);
    }
    ctx.drawImage(tile.image, tile.x, tile.y, tile.sizePx, tile.sizePx, x - half, y - half, sizePx, sizePx);
  }
  ctx.imageSmoothingEnabled = true;
}
