// Files that the user drops or chooses: vectors, which the server parses and keeps for this page, labels for them, and
// bookmarks.

import { countOf } from "../../../base/count";
import { formatBytes } from "../../../base/format";
import { sendLabels, sendVectors } from "../ask";
import { bookmarksOf } from "../bookmarks/bookmarks.svelte";
import type { ProjectorPage } from "../projector_page.svelte";
import { type FileKind, kindOf } from "./file_kinds";

const MAX_BYTES = 512_000_000;
const HEAD_BYTES = 20_000;

/** Vectors first, so that labels of the same drop belong to them. */
const ORDER: readonly FileKind[] = ["vectors", "labels", "bookmarks"];

export async function openFiles(page: ProjectorPage, files: readonly File[]): Promise<void> {
  const { messages } = page.session;
  const known = await Promise.all(
    files.map(async (file) => ({ file, kind: kindOf(file.name, await file.slice(0, HEAD_BYTES).text()) })),
  );
  known.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  for (const { file, kind } of known) {
    try {
      await open(page, file, kind);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      messages.say(`Could not open ${file.name}. ${reason}`, { isError: true });
    }
  }
}

async function open(page: ProjectorPage, file: File, kind: FileKind): Promise<void> {
  const { client, messages } = page.session;
  if (file.size > MAX_BYTES)
    throw new Error(
      `It has ${formatBytes(file.size)}; up to ${formatBytes(MAX_BYTES)} can be opened. Put it beside the logs.`,
    );
  if (kind === "bookmarks") return bookmarksOf(page).read(await file.text());
  if (kind === "vectors") {
    const { file: token, rows, dimensions } = await sendVectors(client, file);
    page.addFile({ file: token, name: file.name, rows, dimensions });
    messages.say(
      `${file.name}: ${countOf(rows, "point")} of ${countOf(dimensions, "dimension")}. Only this page has it.`,
    );
    return;
  }
  const vectors = page.given.files.find(({ file: token }) => token === page.given.shown);
  if (!vectors) throw new Error("These are labels: open the file with their vectors first, or both together.");
  const { file: token, rows, dimensions } = await sendLabels(client, vectors.file, file);
  page.addFile({ file: token, name: vectors.name, rows, dimensions });
  messages.say(`${file.name}: labels for ${vectors.name}`);
}
