// Finds tags among ten thousand: by some of their letters, or by a regular expression if the text looks like one. Pure.

import { rank } from "../base/fuzzy";
import { compilePattern } from "../base/pattern";
import type { Completion } from "./Autocomplete.svelte";

export const MAX_FOUND = 25;

export interface Found {
  readonly tags: readonly string[];
  /** How many more there are. */
  readonly left: number;
}

export function searchTags(text: string, tags: readonly string[], limit = MAX_FOUND): Found {
  const query = text.trim();
  const all =
    query === ""
      ? tags
      : isPattern(query)
        ? tags.filter(compilePattern(query).matches)
        : rank(query, tags, (tag) => tag, tags.length).map(({ item }) => item);
  return { tags: all.slice(0, limit), left: Math.max(0, all.length - limit) };
}

// Many tags contain a slash, a dash or a dot.
const isPattern = (text: string): boolean => /[\\^$*+?()[\]{}|]/.test(text) && compilePattern(text).error === "";

/** Suggestions for the filter: whole tags, as the patterns that match them. */
export function completeTag(text: string, tags: readonly string[]): Completion {
  const found = searchTags(text, tags);
  return {
    from: 0,
    to: text.length,
    options: found.tags.map((tag) => ({ text: escapePattern(tag), label: tag })),
    left: found.left,
  };
}

const escapePattern = (tag: string): string => tag.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
