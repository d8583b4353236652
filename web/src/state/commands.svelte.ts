// The commands of the page: the command palette lists them, the shortcut list shows their keys. Parts of the page add
// their own while they exist. The keys of the open dashboard win over those of the parts around it.

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

interface Added {
  readonly command: Command;
  readonly isAroundDashboard: boolean;
}

export class Commands {
  readonly #byId = new SvelteMap<string, Added>();
  #pauses = 0;
  #typed = "";
  /** The keys of parts around a dashboard that the dashboard uses are left out. */
  readonly all = $derived(withoutTakenKeys([...this.#byId.values()]));

  /** Returns the function that removes them. `isAroundDashboard`: they belong to what surrounds the dashboards. */
  add(commands: readonly Command[], { isAroundDashboard = false } = {}): () => void {
    for (const command of commands) this.#byId.set(command.id, { command, isAroundDashboard });
    return () => {
      for (const command of commands)
        if (this.#byId.get(command.id)?.command === command) this.#byId.delete(command.id);
    };
  }

  /** Shortcuts are off: what the user types is meant for a dialog that is about to open. */
  get isPaused(): boolean {
    return this.#pauses > 0;
  }

  /** Turns shortcuts off until the code of a dialog has loaded, or failed to. */
  pauseUntil(loaded: Promise<unknown>): void {
    this.#pauses++;
    const resume = (): void => void this.#pauses--;
    loaded.then(resume, resume);
  }

  /** What was typed for the dialog so far. */
  get typed(): string {
    return this.#typed;
  }

  /** A key that was pressed while shortcuts are off; whether it is text for the dialog. */
  keep({ key, ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): boolean {
    if (ctrlKey || metaKey || altKey || (key.length !== 1 && key !== "Backspace")) return false;
    this.#typed = key === "Backspace" ? this.#typed.slice(0, -1) : this.#typed + key;
    return true;
  }

  /** What was typed for the dialog, once. */
  takeTyped(): string {
    const typed = this.#typed;
    this.#typed = "";
    return typed;
  }
}

function withoutTakenKeys(added: readonly Added[]): Command[] {
  const taken = new Set(added.filter((each) => !each.isAroundDashboard).map(({ command }) => command.keys));
  return added.map(({ command, isAroundDashboard }) => {
    if (!isAroundDashboard || command.keys === undefined || !taken.has(command.keys)) return command;
    const { keys: _keys, ...rest } = command;
    return rest;
  });
}
