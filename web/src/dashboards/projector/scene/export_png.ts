// What is on the screen as a PNG file, with all points, at any scale.

import { CanvasPoints } from "./canvas_points";
import type { Cloud } from "./cloud.svelte";
import { paintGround } from "./ground";
import { paintMarks } from "./marks";
import { hexNumber } from "./palette";
import { paintPictures } from "./pictures";

/** `scale`: pixels of the file per pixel of the page, 1 to 4. */
export async function toPng(cloud: Cloud, scale: number): Promise<Blob> {
  const shot = cloud.draw?.snapshot;
  if (!shot) throw new Error("There is nothing to save yet.");
  const { view, palette } = shot;
  const canvas = new OffscreenCanvas(Math.round(view.widthPx * scale), Math.round(view.heightPx * scale));
  const ctx = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  if (!ctx) throw new Error("This browser could not make a canvas for the picture; a smaller scale may work.");
  paintGround(ctx, view, scale, palette, shot.contours, shot.radius);
  const points = new CanvasPoints(ctx);
  points.setPlaces(cloud.placed);
  points.setOrder(shot.order);
  points.setColors(cloud.colors, hexNumber(palette.accent));
  points.setMatches(cloud.matches);
  points.setSequences(cloud.sequences);
  points.draw({ view, ratio: scale, part: 1, style: shot.style, palette, from: 0, to: shot.order.rows.length });
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  paintPictures(ctx, shot.pictures, shot.picturePx, palette);
  paintMarks(ctx, shot.marks, shot.font, palette.stage);
  return canvas.convertToBlob({ type: "image/png" });
}
