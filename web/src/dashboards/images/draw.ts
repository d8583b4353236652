// Draws the visible part of an image on a canvas.

import type { Scaling } from "./options";
import type { Placement } from "./view_box";

/** `pixelRatio`: screen pixels per page pixel. */
export function drawPicture(
  canvas: HTMLCanvasElement,
  bitmap: ImageBitmap,
  { scale, seen, source }: Placement,
  scaling: Scaling,
  pixelRatio: number,
): void {
  const width = Math.max(1, Math.round(seen.widthPx * pixelRatio));
  const height = Math.max(1, Math.round(seen.heightPx * pixelRatio));
  // Setting a size clears the canvas, even if it is the same.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.clearRect(0, 0, width, height);
  // Averaged when reduced: skipped pixels show patterns that are not there.
  context.imageSmoothingEnabled = scaling === "linear" || scale * pixelRatio < 1;
  context.imageSmoothingQuality = "medium";
  context.drawImage(bitmap, source.x, source.y, source.width, source.height, 0, 0, width, height);
}
