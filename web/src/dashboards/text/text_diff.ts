// What changed from one text to another: by lines, with what stayed the same folded away, or by words. Pure.

import { type Change, diffLines, diffWordsWithSpace } from "diff";

/** Equal lines that are left around a change. */
const CONTEXT_LINES = 3;
/** So long may a comparison take; then the texts are said to have nothing in common. */
const TIMEOUT_MS = 400;

export interface Part {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}
/** Lines in a row that were treated alike. `isFolded`: far from any change. */
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
  // A last line counts as the same whether or not a line end follows it.
  const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
  const parts = partsOf(diffLines(ended(before), ended(after), { timeout: TIMEOUT_MS }), before, after);
  return parts.flatMap(({ kind, text }, i): Block[] => {
    const lines = text.replace(/\n$/, "").split("\n");
    if (kind !== "same") return text === "" ? [] : [{ kind, lines, isFolded: false }];
    const head = i === 0 ? 0 : CONTEXT_LINES;
    const tail = i === parts.length - 1 ? 0 : CONTEXT_LINES;
    // To fold a line or two is no gain.
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
