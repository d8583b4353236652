// The commands of the page: the command palette lists them, the shortcut list shows their keys. Parts of the page add
// their own while they exist.

import { SvelteMap } from "svelte/reactivity";

export interface Command {
  /** Unique, e.g. "runs.invert". */
  readonly id: string;
  readonly title: string;
  /** Heading in the palette and the shortcut list: "Page", "Runs", "Charts". */
  readonly group: string;
  /**
   * As KeyboardEvent.key, with modifiers first: "Ctrl+k", "?", "g s". Without Ctrl they work only outside text fields.
   */
  readonly keys?: string;
  readonly run: () => void;
}

export class Commands {
  readonly #byId = new SvelteMap<string, Command>();
  readonly all = $derived([...this.#byId.values()]);

  /** Returns the function that removes them. */
  add(commands: readonly Command[]): () => void {
    for (const command of commands) this.#byId.set(command.id, command);
    return () => {
      for (const command of commands) if (this.#byId.get(command.id) === command) this.#byId.delete(command.id);
    };
  }
}
