// All of the graph that is open, as an SVG file: shapes and text, drawn by the same code as on the screen.

import { textWidthPx } from "../../../base/text_width";
import type { GraphView } from "../graph_state.svelte";
import type { SceneContent } from "./content";
import { drawScene } from "./draw";
import { PALETTES, type Theme } from "./palette";
import { escape, SvgPen } from "./svg_pen";

export const EXPORT_MARGIN_PX = 24;

export function exportSvg(view: GraphView, theme: Theme): string {
  const content = exportedContent(view);
  const palette = PALETTES[theme];
  const pen = new SvgPen();
  drawScene(content, { pen, palette, measure: textWidthPx, window: EVERYTHING });
  const { widthPx, heightPx } = content.picture;
  const [width, height] = [widthPx, heightPx].map((size) => Math.ceil(size) + 2 * EXPORT_MARGIN_PX) as [number, number];
  const font = getComputedStyle(document.body).fontFamily;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-EXPORT_MARGIN_PX} ${-EXPORT_MARGIN_PX} ${width} ${height}" font-family="${escape(font)}" stroke-linejoin="round" stroke-linecap="round">`,
    `<rect x="${-EXPORT_MARGIN_PX}" y="${-EXPORT_MARGIN_PX}" width="${width}" height="${height}" fill="${palette.background}"/>`,
    ...pen.shapes,
    "</svg>",
    "",
  ].join("\n");
}

export const EVERYTHING = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

/** What is on the screen, without what the pointer does to it. */
export function exportedContent(view: GraphView): SceneContent {
  const { picture } = view;
  if (!picture) throw new Error("The graph is not laid out yet; try again in a moment.");
  return {
    picture,
    levels: view.drawnLevels,
    nodes: view.nodes,
    places: view.places,
    paint: view.paint,
    distances: view.distances,
    states: view.states,
    matches: view.matches,
    currentMatch: null,
    dimmed: view.dimmed,
    selected: view.selected,
    alsoSelected: view.alsoSelected,
    hovered: null,
    loading: new Set(),
  };
}
