// What rows have in a column, as texts: from the column where it is loaded, else of these rows alone.

import { loadTexts } from "../ask";
import { cellOf, cellText } from "../columns.svelte";
import type { ProjectorPage } from "../projector_page.svelte";

export async function loadCells(
  page: ProjectorPage,
  name: string,
  rows: readonly number[],
): Promise<readonly string[]> {
  const column = page.columns.get(name);
  if (column) return rows.map((row) => cellText(cellOf(column, row)) ?? "");
  const { embedding, session } = page;
  if (!embedding || rows.length === 0) return [];
  return (await loadTexts(session.client, embedding, name, rows)).map((text) => text ?? "");
}
