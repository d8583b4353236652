// Charts as TikZ pictures for LaTeX: `\usepackage{tikz}`, then `\input` the file. Text is set in the font of the paper.

import { isClipped, type PathShape, type Shapes, type TextShape } from "./picture_shapes";

// TeX reads a path as a whole, and its memory is small.
const MOST_POINTS = 500;
const ANCHORS = { start: "base west", middle: "base", end: "base east" } as const;

export function toPgf(pictures: readonly Shapes[]): string {
  return pictures.map(pictureOf).join("\n\n");
}

function pictureOf({ widthPx, heightPx, plot: [left, top, right, bottom], list }: Shapes): string {
  const colors = new Map<string, string>();
  for (const { color } of list) if (!colors.has(color)) colors.set(color, `rg${colors.size}`);
  const nameOf = (color: string): string => colors.get(color) as string;
  const draw = (shape: PathShape | TextShape): string =>
    shape.kind === "text" ? textOf(shape, nameOf) : pathOf(shape, nameOf);
  const groups: string[] = [];
  for (let i = 0; i < list.length;) {
    const isInside = (shape: PathShape | TextShape | undefined): boolean => shape?.kind === "path" && isClipped(shape);
    const begin = i;
    while (i < list.length && isInside(list[i]) === isInside(list[begin])) i++;
    const body = list.slice(begin, i).map(draw).join("\n");
    groups.push(
      isInside(list[begin])
        ? `\\begin{scope}\n\\clip (${at([left, top])}) rectangle (${at([right, bottom])});\n${body}\n\\end{scope}`
        : body,
    );
  }
  return [
    ...[...colors].map(([color, name]) => `\\definecolor{${name}}{HTML}{${color.slice(1, 7).toUpperCase()}}`),
    "\\begin{tikzpicture}[x=0.75bp, y=-0.75bp, inner sep=0pt, line join=round]",
    `\\useasboundingbox (0,0) rectangle (${at([widthPx, heightPx])});`,
    ...groups,
    "\\end{tikzpicture}",
    "",
  ].join("\n");
}

const round = (px: number): number => Math.round(px * 100) / 100;
const at = ([x, y]: readonly [number, number]): string => `${round(x)},${round(y)}`;

function pathOf({ parts, color, alpha, widthPx, dash }: PathShape, nameOf: (color: string) => string): string {
  const opacity = alpha === 1 ? "" : `, opacity=${alpha}`;
  if (widthPx === undefined) {
    const outline = parts.map((points) => `${points.map((point) => `(${at(point)})`).join(" -- ")} -- cycle`).join(" ");
    return `\\fill[${nameOf(color)}${opacity}] ${outline};`;
  }
  const [on, off] = dash;
  const pattern = on === undefined ? "" : `, dash pattern=on ${round(on * 0.75)}bp off ${round((off ?? on) * 0.75)}bp`;
  const style = `${nameOf(color)}${opacity}, line width=${round(widthPx * 0.75)}bp${pattern}`;
  return parts
    .flatMap((points) => pieces(points))
    .map((points) => `\\draw[${style}] ${points.map((point) => `(${at(point)})`).join(" -- ")};`)
    .join("\n");
}

/** Pieces share their ends, so that the line has no gaps. */
function pieces<T>(points: readonly T[]): (readonly T[])[] {
  const found: (readonly T[])[] = [];
  for (let i = 0; i + 1 < points.length; i += MOST_POINTS) found.push(points.slice(i, i + MOST_POINTS + 1));
  return found;
}

function textOf(
  { text, xPx, yPx, color, anchor, isBold, sizePx }: TextShape,
  nameOf: (color: string) => string,
): string {
  const size = `\\fontsize{${round(sizePx * 0.75)}bp}{${round(sizePx * 0.9)}bp}\\selectfont`;
  const words = isBold ? `\\textbf{${escape(text)}}` : escape(text);
  return `\\node[anchor=${ANCHORS[anchor]}, text=${nameOf(color)}, font=${size}] at (${at([xPx, yPx])}) {${words}};`;
}

const COMMANDS: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "−": "$-$",
  "∞": "$\\infty$",
};

const escape = (text: string): string => text.replace(/[\\~^−∞&%$#_{}]/g, (sign) => COMMANDS[sign] ?? `\\${sign}`);
