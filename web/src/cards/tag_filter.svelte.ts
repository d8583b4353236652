// The tag filter of a page of cards. A pattern that cannot be used leaves the last good result, and says why.

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
