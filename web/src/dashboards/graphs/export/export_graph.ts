// Saves the graph as it is drawn: as a picture, as vectors, or as nodes and edges.

import { fileName, saveFile } from "../../../base/files";
import type { Level } from "../answer";
import type { Coloring } from "../coloring.svelte";
import type { ExportKind } from "../export_kinds";
import type { GraphsPage } from "../graphs_page.svelte";
import { drawnGraph, writeDot } from "./drawn_graph";

export async function exportGraph(page: GraphsPage, coloring: Coloring, kind: ExportKind): Promise<void> {
  const { view, graph } = page.main;
  const { picture } = view;
  if (!picture || !graph) throw new Error("There is no graph to save yet.");
  const { title, about } = page.infoOf(graph);
  const name = fileName([title, about], kind);
  if (kind === "svg") {
    const { exportSvg } = await import("../scene/export_svg");
    saveFile(name, exportSvg(view, page.theme), "image/svg+xml");
    return;
  }
  if (kind === "png") {
    const { exportPng } = await import("../scene/export_png");
    saveFile(name, await exportPng(view, page.theme));
    return;
  }
  const drawn = drawnGraph(
    picture,
    view.nodes,
    (group, index) => edgeFacts(view.levels.get(group), index),
    coloring.values,
  );
  if (kind === "dot") saveFile(name, writeDot(drawn), "text/vnd.graphviz");
  else {
    const by = coloring.by.kind === "category" ? null : coloring.label;
    saveFile(name, JSON.stringify({ graph, facts: view.facts, colored_by: by, ...drawn }, null, 1));
  }
}

/** An edge of a level, counted through its edges inside, from outside and to the outside. */
function edgeFacts(level: Level | undefined, index: number) {
  if (!level) return null;
  const { edges, in: entering = [], out: leaving = [] } = level;
  return edges[index] ?? entering[index - edges.length] ?? leaving[index - edges.length - entering.length] ?? null;
}
