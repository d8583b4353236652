// A chart as an SVG file: lines as paths, labels as text, no external resources.

import type { PictureSpec } from "./picture";
import { type Layer, type PathShape, shapesOf, type TextShape } from "./picture_shapes";

/** `id` keeps the pictures in one file apart. */
export function toSvg(spec: PictureSpec, id = "plot"): string {
  const { widthPx, heightPx, plot, list } = shapesOf(spec);
  const [left, top, right, bottom] = plot.map(round) as [number, number, number, number];
  const [width, height] = [round(widthPx), round(heightPx)];
  const texts = list.flatMap((shape) => (shape.kind === "text" ? [textSvg(shape)] : []));
  const layer = (name: Layer): string =>
    `<g class="${name}">${list.flatMap((shape) => (shape.kind === "path" && shape.layer === name ? [pathSvg(shape)] : [])).join("\n")}</g>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escape(spec.font)}">`,
    `<title>${escape(spec.title)}</title>`,
    `<clipPath id="${id}"><rect x="${left}" y="${top}" width="${round(right - left)}" height="${round(bottom - top)}"/></clipPath>`,
    layer("ground"),
    layer("axes"),
    `<g class="data" clip-path="url(#${id})" fill="none" stroke-linejoin="round">`,
    layer("bands"),
    layer("lines"),
    layer("marks"),
    "</g>",
    `<g class="texts">${texts.join("\n")}</g>`,
    "</svg>",
    "",
  ].join("\n");
}

const round = (px: number): number => Math.round(px * 100) / 100;
// Lines have thousands of points.
const rough = (px: number): number => Math.round(px * 10) / 10;

function pathSvg({ parts, color, alpha, widthPx, dash, dot }: PathShape): string {
  const opacity = (of: "stroke" | "fill"): string => (alpha === 1 ? "" : ` ${of}-opacity="${alpha}"`);
  const fill = `fill="${escape(color)}"${opacity("fill")}`;
  if (dot) return `<circle cx="${round(dot.xPx)}" cy="${round(dot.yPx)}" r="${dot.radiusPx}" ${fill}/>`;
  if (widthPx === undefined)
    return `<polygon points="${parts.flatMap((points) => points.map(([x, y]) => `${round(x)},${round(y)}`)).join(" ")}" ${fill}/>`;
  const dashes = dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : "";
  const path = parts
    .map((points) => points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${rough(x)} ${rough(y)}`).join(""))
    .join("");
  return `<path d="${path}" stroke="${escape(color)}" stroke-width="${widthPx}"${opacity("stroke")}${dashes}/>`;
}

function textSvg({ text, xPx, yPx, sizePx, color, anchor, isBold }: TextShape): string {
  const weight = isBold ? ' font-weight="600"' : "";
  return `<text x="${round(xPx)}" y="${round(yPx)}" font-size="${sizePx}" fill="${escape(color)}" text-anchor="${anchor}"${weight}>${escape(text)}</text>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Names of runs and tags can contain anything; XML does not allow control characters. */
function escape(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
      .replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string)
  );
}
