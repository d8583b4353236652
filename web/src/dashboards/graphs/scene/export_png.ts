// All of the graph that is open, as a PNG file: twice the size of the screen's pixels, less where browsers have no
// canvas that large.

import { textWidthPx } from "../../../base/text_width";
import type { GraphView } from "../graph_state.svelte";
import { drawScene } from "./draw";
import { EVERYTHING, EXPORT_MARGIN_PX, exportedContent } from "./export_svg";
import { PALETTES, type Theme } from "./palette";
import { CanvasPen } from "./pen";

const SCALE = 2;
const MAX_SIDE_PX = 16_384;
const MAX_AREA_PX = 100_000_000;

export async function exportPng(view: GraphView, theme: Theme): Promise<Blob> {
  const content = exportedContent(view);
  const palette = PALETTES[theme];
  const width = content.picture.widthPx + 2 * EXPORT_MARGIN_PX;
  const height = content.picture.heightPx + 2 * EXPORT_MARGIN_PX;
  const scale = Math.min(SCALE, MAX_SIDE_PX / width, MAX_SIDE_PX / height, Math.sqrt(MAX_AREA_PX / width / height));
  const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const ctx = canvas.getContext("2d", { alpha: false });
  if (!ctx) throw new Error("This browser could not make a canvas for the picture; with fewer open groups it may.");
  ctx.fillStyle = palette.background;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.setTransform(scale, 0, 0, scale, EXPORT_MARGIN_PX * scale, EXPORT_MARGIN_PX * scale);
  const pen = new CanvasPen(ctx, scale, getComputedStyle(document.body).fontFamily);
  drawScene(content, { pen, palette, measure: textWidthPx, window: EVERYTHING });
  return canvas.convertToBlob({ type: "image/png" });
}
