// Saves the metadata of points, with the tags of the user, as TensorBoard reads it.

import { saveFile } from "../../../base/files";
import type { ProjectorPage } from "../projector_page.svelte";
import { writeTsv } from "./metadata_file";

/** `rows`: null: all. */
export async function downloadMetadata(page: ProjectorPage, rows: Int32Array | null): Promise<void> {
  const { columns, count } = page;
  const loaded = await Promise.all(columns.infos.map(({ name }) => columns.load(name)));
  if (loaded.length === 0) throw new Error("There is no metadata yet: tag some points first.");
  const name = rows ? "metadata-selected.tsv" : columns.edited.size > 0 ? "metadata-edited.tsv" : "metadata.tsv";
  saveFile(name, writeTsv(loaded, count, rows), "text/tab-separated-values");
}
