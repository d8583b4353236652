// A chart as an SVG file: lines as paths, labels as text, no external resources.

import { areaOutlines } from "./draw_lines";
import { linePath } from "./line_path";
import { Marks, markOutline } from "./marks";
import { layOutPicture, type PictureRule, type PictureSpec, type PictureText } from "./picture";
import { Projection } from "./projection";

const DOT_RADIUS_PX = 2.2;

/** `id` keeps the pictures in one file apart. */
export function toSvg(spec: PictureSpec, id = "plot"): string {
  const { widthPx, heightPx, frame, rules, texts } = layOutPicture(spec);
  const projection = new Projection(frame);
  const { left, top, right, bottom } = projection.plot;
  const marks = new Marks(projection.plot);

  const bands = spec.areas.flatMap((area) =>
    Array.from(areaOutlines(projection, area), (outline) => {
      const points = outline.map(round).join(" ");
      return `<polygon points="${points}" fill="${escape(area.color)}" fill-opacity="${area.alpha}"/>`;
    }),
  );
  const lines = spec.series.flatMap((series, i) => {
    const stroke = spec.strokes[i];
    if (!stroke || stroke.alpha === 0) return [];
    const color = escape(stroke.color);
    const line = linePath(projection, series, stroke.axis);
    if (i >= spec.firstFound) marks.addAll(line.marks, stroke.color);
    const dash = stroke.dash.length > 0 ? ` stroke-dasharray="${stroke.dash.join(" ")}"` : "";
    const path =
      line.path &&
      `<path d="${line.path}" stroke="${color}" stroke-width="${stroke.widthPx}"${opacity("stroke", stroke.alpha)}${dash}/>`;
    const dots = line.dots.map(
      ([xPx, yPx]) =>
        `<circle cx="${round(xPx)}" cy="${round(yPx)}" r="${DOT_RADIUS_PX}" fill="${color}"${opacity("fill", stroke.alpha)}/>`,
    );
    return path ? [path, ...dots] : dots;
  });
  const signs = marks.list.map((mark) => {
    const [a, b, c, d] = markOutline(mark).map(([xPx, yPx]) => `${round(xPx)} ${round(yPx)}`);
    if (mark.shape !== "cross") return `<path d="M${a}L${b}L${c}Z" fill="${escape(mark.color)}"/>`;
    return `<path d="M${a}L${b}M${c}L${d}" stroke="${escape(mark.color)}" stroke-width="1.6"/>`;
  });

  const bleed = 4.5;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(widthPx)}" height="${round(heightPx)}" viewBox="0 0 ${round(widthPx)} ${round(heightPx)}" font-family="${escape(spec.font)}">`,
    `<title>${escape(spec.title)}</title>`,
    `<clipPath id="${id}"><rect x="${round(left - bleed)}" y="${round(top - bleed)}" width="${round(right - left + 2 * bleed)}" height="${round(bottom - top + 2 * bleed)}"/></clipPath>`,
    `<rect width="100%" height="100%" fill="${escape(spec.colors.surface)}"/>`,
    `<g class="axes">${rules.map(ruleSvg).join("")}</g>`,
    `<g class="data" clip-path="url(#${id})" fill="none" stroke-linejoin="round">`,
    `<g class="bands">${bands.join("")}</g>`,
    `<g class="lines">${lines.join("\n")}</g>`,
    `<g class="marks">${signs.join("")}</g>`,
    "</g>",
    `<g class="texts">${texts.map(textSvg).join("\n")}</g>`,
    "</svg>",
    "",
  ].join("\n");
}

const round = (px: number): number => Math.round(px * 100) / 100;

const opacity = (of: "stroke" | "fill", alpha: number): string => (alpha === 1 ? "" : ` ${of}-opacity="${alpha}"`);

function ruleSvg({ from, to, color, widthPx, dash }: PictureRule): string {
  const dashes = dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : "";
  return `<line x1="${round(from[0])}" y1="${round(from[1])}" x2="${round(to[0])}" y2="${round(to[1])}" stroke="${escape(color)}" stroke-width="${widthPx}"${dashes}/>`;
}

function textSvg({ text, xPx, yPx, sizePx, color, anchor, isBold }: PictureText): string {
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
