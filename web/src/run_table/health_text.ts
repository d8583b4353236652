// The problems of files: their order, and as text for a bug report. Pure.

import type { FileHealth, FileState } from "../api/types";

const WORDS: Partial<Record<FileState, string>> = {
  skipped: "records skipped",
  damaged: "damaged",
  unreadable: "unreadable",
};
const WORST_FIRST: readonly FileState[] = ["unreadable", "damaged", "skipped"];

/** The problem in a few words. */
export function findingText({ state, byte, skipped_records }: FileHealth): string {
  const what =
    state === "skipped" && skipped_records > 0
      ? `${skipped_records} ${skipped_records === 1 ? "record" : "records"} skipped`
      : (WORDS[state] ?? state);
  return byte === null ? what : `${what}, first at byte ${byte}`;
}

/** Worst first; then by path. */
export function sortFindings(files: readonly FileHealth[]): FileHealth[] {
  const rank = (file: FileHealth): number =>
    (WORST_FIRST.indexOf(file.state) + WORST_FIRST.length + 1) % (WORST_FIRST.length + 1);
  return [...files].sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

export function healthText(files: readonly FileHealth[]): string {
  return files
    .map((file) => [`${file.path}: ${findingText(file)}`, file.reason, file.advice].filter(Boolean).join("\n  "))
    .join("\n");
}
