// A chart as a PNG file, with axes and legend, drawn by the same code as on the page.

import { drawLines } from "./draw_lines";
import { layOutPicture, type PictureSpec } from "./picture";

/** `scale`: pixels of the file per pixel of the page, 1 to 4. */
export async function toPng(spec: PictureSpec, scale: number): Promise<Blob> {
  const { widthPx, heightPx, frame, rules, texts } = layOutPicture(spec, scale);
  const canvas = new OffscreenCanvas(Math.round(widthPx * scale), Math.round(heightPx * scale));
  const ctx = canvas.getContext("2d");
  if (!ctx) throw new Error("This browser could not make a canvas for the picture; a smaller scale may work.");
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  ctx.fillStyle = spec.colors.surface;
  ctx.fillRect(0, 0, widthPx, heightPx);
  for (const { from, to, color, widthPx: ruleWidthPx, dash } of rules) {
    ctx.strokeStyle = color;
    ctx.lineWidth = ruleWidthPx;
    ctx.setLineDash([...dash]);
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...to);
    ctx.stroke();
  }
  drawLines(ctx, frame, spec);
  ctx.setLineDash([]);
  for (const { text, xPx, yPx, sizePx, color, anchor, isBold } of texts) {
    ctx.font = `${isBold ? "600 " : ""}${sizePx}px ${spec.font}`;
    ctx.fillStyle = color;
    ctx.textAlign = anchor === "middle" ? "center" : anchor;
    ctx.fillText(text, xPx, yPx);
  }
  return canvas.convertToBlob({ type: "image/png" });
}
