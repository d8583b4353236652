// Compares two texts: by lines, with unchanged parts folded, or by words. Pure.

import { type Change, diffLines, diffWordsWithSpace } from "diff";

/** Unchanged lines to show around a change. */
const CONTEXT_LINES = 3;
/** Time limit for a comparison. After it, the texts count as completely different. */
const TIMEOUT_MS = 400;

export interface Part {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}
/** Consecutive lines of the same kind. `isFolded`: far from any change. */
export interface Block {
  readonly kind: Part["kind"];
  readonly lines: readonly string[];
  readonly isFolded: boolean;
}

function partsOf(changes: Change[] | undefined, before: string, after: string): Part[] {
  if (!changes)
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  return changes.map(({ added, removed, value }) => ({
    kind: added ? "added" : removed ? "removed" : "same",
    text: value,
  }));
}

export function diffByWords(before: string, after: string): Part[] {
  return partsOf(diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS }), before, after);
}

export function diffByLines(before: string, after: string): Block[] {
  // A last line counts as the same with or without a line ending.
  const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
  const parts = partsOf(diffLines(ended(before), ended(after), { timeout: TIMEOUT_MS }), before, after);
  return parts.flatMap(({ kind, text }, i): Block[] => {
    const lines = text.replace(/\n$/, "").split("\n");
    if (kind !== "same") return text === "" ? [] : [{ kind, lines, isFolded: false }];
    const head = i === 0 ? 0 : CONTEXT_LINES;
    const tail = i === parts.length - 1 ? 0 : CONTEXT_LINES;
    // Folding one or two lines gains nothing.
    if (lines.length <= head + tail + 2) return [{ kind, lines, isFolded: false }];
    const blocks = [
      { kind, lines: lines.slice(0, head), isFolded: false },
      { kind, lines: lines.slice(head, lines.length - tail), isFolded: true },
      { kind, lines: lines.slice(lines.length - tail), isFolded: false },
    ];
    return blocks.filter((block) => block.lines.length > 0);
  });
}

export const countLines = (blocks: readonly Block[], kind: Part["kind"]): number =>
  blocks.reduce((sum, block) => sum + (block.kind === kind ? block.lines.length : 0), 0);
