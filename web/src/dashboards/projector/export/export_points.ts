// Saves the points as they are drawn, or their positions with the metadata.

import { fileName, saveAddress, saveFile } from "../../../base/files";
import { exportAddress } from "../ask";
import { embeddingKey, isLogged } from "../embedding_ref";
import type { ExportKind } from "./kinds";
import { labelOf } from "../recipe";
import type { ProjectorPage } from "../projector_page.svelte";

const PIXELS = 2;

export async function exportPoints(page: ProjectorPage, kind: ExportKind): Promise<void> {
  const { cloud, embedding, recipe } = page;
  const { shown } = page.results;
  // Of a bookmark: the server does not know them.
  const isGiven = shown?.state === "done" && !shown.job;
  if (!embedding || !recipe || cloud.placed.count === 0) throw new Error("There are no points to save yet.");
  const parts = isLogged(embedding)
    ? [embedding.run, embedding.name, ...(embedding.step === null ? [] : [String(embedding.step)])]
    : [page.file?.name ?? "vectors"];
  const name = (ending: string): string => fileName([...parts, labelOf(recipe.method)], ending);
  if (kind === "png") {
    const { toPng } = await import("../scene/export_png");
    saveFile(name("png"), await toPng(cloud, PIXELS));
  } else if (kind === "svg") {
    const { toSvg } = await import("../scene/export_svg");
    saveFile(name("svg"), toSvg(cloud), "image/svg+xml");
  } else if (kind === "csv" && (page.frame || isGiven || page.columns.edited.size > 0)) {
    // What only the page knows: positions that were aligned over the steps or kept in a bookmark, and tags of the user.
    const { writePositions } = await import("./positions_file");
    const columns = await Promise.all(page.columns.infos.map((info) => page.columns.load(info.name)));
    saveFile(name("csv"), writePositions(cloud.placed.positions, cloud.placed.dimensions, columns), "text/csv");
  } else {
    if (isGiven) throw new Error("The positions of a bookmark can be saved as CSV.");
    if (page.frame)
      throw new Error("Steps that are aligned can be saved as CSV; turn off “Aligned” for other formats.");
    if (!shown?.job || shown.state !== "done" || embeddingKey(shown.embedding) !== embeddingKey(embedding))
      throw new Error("The projection is not finished yet.");
    saveAddress(exportAddress(page.session.client, embedding, shown.job.id, kind));
  }
}
