// Pictures of cards for papers and slides: one chart, or all visible charts in one picture with two columns.

import { toPdf } from "../../../chart/export_pdf";
import { toPgf } from "../../../chart/export_pgf";
import { toPng } from "../../../chart/export_png";
import { toSvg } from "../../../chart/export_svg";
import { type LegendEntry, LIGHT_COLORS, layOutPicture, type PictureSpec } from "../../../chart/picture";
import { shapesOf } from "../../../chart/picture_shapes";
import type { CardDrawing } from "./export_drawings";
import { isTimeAxis } from "../../../state/view/view";

export interface PictureOptions {
  readonly title: (run: string) => string;
  readonly hasLegend: boolean;
  /** Size of each chart, without the text around it. */
  readonly widthPx: number;
  readonly heightPx: number;
}

const FONT = "Inter, system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
const COLUMNS = 2;
// A longer legend is hard to read. The last entry gives the number of lines.
const MAX_LEGEND = 60;

export function toPicture(drawing: CardDrawing, { title, hasLegend, widthPx, heightPx }: PictureOptions): PictureSpec {
  const { spec, lines, x } = drawing;
  return {
    ...drawing,
    widthPx,
    heightPx,
    series: lines.map((line) => line.series),
    title: spec.tags.join(", "),
    xLabel: isTimeAxis(x)
      ? { step: "step", relative: "time since the first point", wall: "time" }[x]
      : x.replace(/^=/, ""),
    legend: hasLegend ? legendOf(drawing, title) : [],
    colors: LIGHT_COLORS,
    font: FONT,
  };
}

function legendOf({ spec, lines, strokes, firstFound }: CardDrawing, title: PictureOptions["title"]): LegendEntry[] {
  const entries = lines.slice(firstFound).map((line, i): LegendEntry => {
    const stroke = strokes[i + firstFound];
    const name = line.role === "center" ? `${line.run} (n=${line.total})` : title(line.run);
    return {
      label: spec.tags.length > 1 ? `${name} · ${line.tag}` : name,
      color: stroke?.color ?? LIGHT_COLORS.text,
      dash: stroke?.dash ?? [],
    };
  });
  if (entries.length <= MAX_LEGEND) return entries;
  return [
    ...entries.slice(0, MAX_LEGEND),
    { label: `and ${entries.length - MAX_LEGEND} more`, color: "transparent", dash: [] },
  ];
}

export function drawSvg(drawings: readonly CardDrawing[], options: PictureOptions): string {
  const pictures = drawings.map((drawing) => toPicture(drawing, options));
  const [only] = pictures;
  if (only && pictures.length === 1) return toSvg(only);
  const { places, widthPx, heightPx } = arrange(pictures);
  const parts = pictures.map((picture, i) => {
    const { leftPx, topPx } = places[i] as Place;
    return `<g transform="translate(${leftPx} ${topPx})">\n${toSvg(picture, `plot${i}`)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}">`,
    `<rect width="100%" height="100%" fill="${LIGHT_COLORS.surface}"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

/** A page for each chart. */
export const drawPdf = (drawings: readonly CardDrawing[], options: PictureOptions): Blob =>
  toPdf(drawings.map((drawing) => shapesOf(toPicture(drawing, options))));

/** A TikZ picture for each chart. */
export const drawPgf = (drawings: readonly CardDrawing[], options: PictureOptions): string =>
  toPgf(drawings.map((drawing) => shapesOf(toPicture(drawing, options))));

export async function drawPng(drawings: readonly CardDrawing[], options: PictureOptions, scale: number): Promise<Blob> {
  const pictures = drawings.map((drawing) => toPicture(drawing, options));
  const [only] = pictures;
  if (only && pictures.length === 1) return toPng(only, scale);
  const { places, widthPx, heightPx } = arrange(pictures);
  const canvas = new OffscreenCanvas(Math.round(widthPx * scale), Math.round(heightPx * scale));
  const ctx = canvas.getContext("2d");
  if (!ctx) throw new Error("This browser could not make a canvas for so many charts; a smaller scale may work.");
  ctx.fillStyle = LIGHT_COLORS.surface;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  for (const [i, picture] of pictures.entries()) {
    const { leftPx, topPx } = places[i] as Place;
    const bitmap = await createImageBitmap(await toPng(picture, scale));
    ctx.drawImage(bitmap, Math.round(leftPx * scale), Math.round(topPx * scale));
    bitmap.close();
  }
  return canvas.convertToBlob({ type: "image/png" });
}

interface Place {
  readonly leftPx: number;
  readonly topPx: number;
}

/** Lays charts out in rows. Each row is as high as its highest chart. */
function arrange(pictures: readonly PictureSpec[]): { places: Place[]; widthPx: number; heightPx: number } {
  const sizes = pictures.map((picture) => layOutPicture(picture));
  const columnPx = Math.max(0, ...sizes.map((size) => size.widthPx));
  const places: Place[] = [];
  let topPx = 0;
  for (let first = 0; first < sizes.length; first += COLUMNS) {
    const row = sizes.slice(first, first + COLUMNS);
    for (let i = 0; i < row.length; i++) places.push({ leftPx: i * columnPx, topPx });
    topPx += Math.max(...row.map((size) => size.heightPx));
  }
  return { places, widthPx: columnPx * Math.min(COLUMNS, sizes.length), heightPx: topPx };
}
