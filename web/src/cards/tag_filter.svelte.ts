// The tag filter of a page of cards. An invalid pattern keeps the last valid one and has an error.

import { compilePattern, type Pattern } from "../base/pattern";
import type { Settings } from "../state/view/settings.svelte";

export class TagFilter {
  #lastGood: Pattern = compilePattern("");

  constructor(private readonly settings: Settings) {}

  readonly pattern = $derived.by((): Pattern => {
    const pattern = compilePattern(this.settings.tagFilter);
    if (pattern.error) return { matches: this.#lastGood.matches, error: pattern.error };
    this.#lastGood = pattern;
    return pattern;
  });
}
