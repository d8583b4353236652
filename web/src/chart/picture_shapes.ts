// A picture as plain shapes in the order in which they are drawn: the one way from a chart to a file.

import { areaOutlines } from "./draw_lines";
import { Marks, markOutline } from "./marks";
import { layOutPicture, type PictureSpec, type PictureText } from "./picture";
import { GAP, PARTS, Projection } from "./projection";

type Point = readonly [xPx: number, yPx: number];

/** What a path is part of. Bands, lines and marks are drawn inside the plot only. */
export type Layer = "ground" | "axes" | "bands" | "lines" | "marks";

export interface PathShape {
  readonly kind: "path";
  readonly layer: Layer;
  readonly parts: readonly (readonly Point[])[];
  readonly color: string;
  readonly alpha: number;
  /** Undefined: filled. */
  readonly widthPx?: number;
  readonly dash: readonly number[];
  /** It is the square around a dot, for formats that have no circles. */
  readonly dot?: { readonly xPx: number; readonly yPx: number; readonly radiusPx: number };
}

export const isClipped = ({ layer }: PathShape): boolean => layer !== "ground" && layer !== "axes";

export interface TextShape extends PictureText {
  readonly kind: "text";
}

export interface Shapes {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Left, top, right and bottom of the plot. */
  readonly plot: readonly [number, number, number, number];
  readonly list: readonly (PathShape | TextShape)[];
}

const DOT_PX = 2.2;
const MARK_PX = 1.6;
const BLEED_PX = 4.5;

export function shapesOf(spec: PictureSpec): Shapes {
  const { widthPx, heightPx, frame, rules, texts } = layOutPicture(spec);
  const projection = new Projection(frame);
  const { left, top, right, bottom } = projection.plot;
  const marks = new Marks(projection.plot);
  const list: (PathShape | TextShape)[] = [];
  const fill = (layer: Layer, points: readonly Point[], color: string, alpha: number, dot?: PathShape["dot"]): void =>
    void list.push({ kind: "path", layer, parts: [points], color, alpha, dash: [], ...(dot && { dot }) });

  fill("ground", box(0, 0, widthPx, heightPx), spec.colors.surface, 1);
  for (const { from, to, color, widthPx: width, dash } of rules) {
    if (color === "transparent") continue;
    list.push({ kind: "path", layer: "axes", parts: [[from, to]], color, alpha: 1, widthPx: width, dash });
  }
  for (const area of spec.areas) {
    for (const outline of areaOutlines(projection, area)) fill("bands", pairs(outline), area.color, area.alpha);
  }
  spec.series.forEach((series, i) => {
    const stroke = spec.strokes[i];
    if (!stroke || stroke.alpha === 0) return;
    const { color, alpha, dash } = stroke;
    const { xy, length, dots, marks: signs } = projection.project(series, stroke.axis);
    if (i >= spec.firstFound) marks.addAll(signs, color);
    const parts = split(xy, length);
    if (parts.length > 0)
      list.push({ kind: "path", layer: "lines", parts, color, alpha, widthPx: stroke.widthPx, dash });
    for (const [xPx, yPx] of pairs(dots)) {
      const around = box(xPx - DOT_PX, yPx - DOT_PX, xPx + DOT_PX, yPx + DOT_PX);
      fill("lines", around, color, alpha, { xPx, yPx, radiusPx: DOT_PX });
    }
  });
  for (const mark of marks.list) {
    const [a, b, c, d] = markOutline(mark);
    if (!a || !b || !c) continue;
    if (mark.shape !== "cross" || !d) fill("marks", [a, b, c], mark.color, 1);
    else
      list.push({
        kind: "path",
        layer: "marks",
        parts: [
          [a, b],
          [c, d],
        ],
        color: mark.color,
        alpha: 1,
        widthPx: MARK_PX,
        dash: [],
      });
  }
  for (const text of texts) list.push({ kind: "text", ...text });
  return { widthPx, heightPx, plot: [left - BLEED_PX, top - BLEED_PX, right + BLEED_PX, bottom + BLEED_PX], list };
}

const box = (left: number, top: number, right: number, bottom: number): Point[] => [
  [left, top],
  [right, top],
  [right, bottom],
  [left, bottom],
];

function pairs(flat: ArrayLike<number>): Point[] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] as number, flat[2 * i + 1] as number]);
}

/** The pieces of a polyline between its gaps. */
function split(xy: ArrayLike<number>, length: number): Point[][] {
  const parts: Point[][] = [];
  let open: Point[] = [];
  for (let i = 0; i < length; i += 2) {
    if (xy[i] === GAP) {
      if (open.length > 1) parts.push(open);
      open = [];
    } else open.push([(xy[i] as number) / PARTS, (xy[i + 1] as number) / PARTS]);
  }
  if (open.length > 1) parts.push(open);
  return parts;
}
