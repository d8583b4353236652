// Named views, per log directory: kept in this browser, and as a file to share; or by the server, for all, where it
// shares marks. A view is saved as its address, so that old ones stay readable.

import { hashName } from "../runs/run_key";
import type { SharedMarks } from "./shared_marks.svelte";
import { onOtherTab, recall, remember } from "./storage";
import { type Undo, undoneEntries } from "./undo";

export interface SavedView {
  readonly name: string;
  /** The part after the page's own address: "#/scalars?…"; "" for the default view. */
  readonly address: string;
}

const FORMAT = "runglass-views";

export class SavedViews {
  #views = $state.raw<readonly SavedView[]>([]);
  #key = "";
  #stop = (): void => undefined;

  /** Sorted by name. */
  readonly all = $derived.by((): readonly SavedView[] =>
    this.shared?.isOn ? sorted([...this.shared.views].map(([name, address]) => ({ name, address }))) : this.#views,
  );
  /** Of this browser alone, where the server shares marks. */
  readonly own = $derived(this.#views);

  constructor(private readonly shared: SharedMarks | null = null) {}

  /** Every log directory has its own views. */
  open(locations: readonly string[]): void {
    const key = `views-${hashName(locations.join("\n")).toString(36)}`;
    if (key === this.#key) return;
    this.#key = key;
    this.#stop();
    const load = (): void => void (this.#views = parseViews(recall(key) ?? "") ?? []);
    this.#stop = onOtherTab(key, load);
    load();
  }

  find(name: string): SavedView | undefined {
    return this.all.find((view) => view.name === name);
  }

  /** Replaces a view with the same name. */
  save(name: string, address: string): Undo {
    return this.#write([...this.all.filter((view) => view.name !== name), { name, address }]);
  }

  /** Does nothing if there is no such view or the new name is taken. */
  rename(from: string, to: string): void {
    if (!to || this.find(to)) return;
    this.#write(this.all.map((view) => (view.name === from ? { ...view, name: to } : view)));
  }

  remove(name: string): Undo {
    return this.#write(this.all.filter((view) => view.name !== name));
  }

  toText(): string {
    return encodeViews(this.all);
  }

  /**
   * Adds the views of a file and returns their number; they replace existing ones. Throws if it is not a file of views.
   */
  addText(text: string): number {
    const read = parseViews(text);
    if (!read) throw new Error(`Not a file of views: it has no "format": "${FORMAT}".`);
    const names = new Set(read.map((view) => view.name));
    this.#write([...this.all.filter((view) => !names.has(view.name)), ...read]);
    return read.length;
  }

  #write(views: readonly SavedView[]): Undo {
    const [before, mine] = [addressesByName(this.all), addressesByName(views)];
    if (this.shared?.isOn) this.shared.writeViews(mine);
    else {
      this.#views = sorted(views);
      if (this.#key) remember(this.#key, views.length > 0 ? encodeViews(this.#views) : null);
    }
    return () => {
      const undone = undoneEntries(before, mine, addressesByName(this.all));
      this.#write([...undone].map(([name, address]) => ({ name, address })));
    };
  }
}

const sorted = (views: readonly SavedView[]): SavedView[] =>
  [...views].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));

const addressesByName = (views: readonly SavedView[]): Map<string, string> =>
  new Map(views.map(({ name, address }) => [name, address]));

function encodeViews(views: readonly SavedView[]): string {
  return JSON.stringify({ format: FORMAT, version: 1, views }, null, 1);
}

/** Null if the text is not a list of views. Ignores invalid entries. */
function parseViews(text: string): SavedView[] | null {
  let read: { format?: unknown; views?: unknown } | null;
  try {
    read = JSON.parse(text) as typeof read;
  } catch {
    return null;
  }
  if (read?.format !== FORMAT || !Array.isArray(read.views)) return null;
  const views = new Map<string, SavedView>();
  for (const each of read.views as readonly unknown[]) {
    const { name, address } = (each ?? {}) as { name?: unknown; address?: unknown };
    if (typeof name !== "string" || name === "" || typeof address !== "string" || !/^(#|$)/.test(address)) continue;
    views.set(name, { name, address });
  }
  return [...views.values()];
}
