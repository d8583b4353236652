// An option that is read again only when its own text changes: options of the view change together, and what is made
// from one of them may be large.

import { untrack } from "svelte";
import type { Settings } from "../../state/view/settings.svelte";

export class StableOption<T> {
  constructor(
    private readonly settings: Settings,
    private readonly name: string,
    private readonly read: (settings: Settings) => T,
  ) {}

  readonly #text = $derived.by(() => this.settings.option(this.name));
  readonly value = $derived.by((): T => (void this.#text, untrack(() => this.read(this.settings))));
}
