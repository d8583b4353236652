// What of the view the browser keeps between visits: a visit to the bare address begins with it. Some of it holds for
// all log directories, some names tags and so belongs to one. Written as addresses, so that old ones stay readable.

import { whenIdle } from "../../base/defer";
import { hashName } from "../runs/run_key";
import { decodeView, encodeView } from "../view/url";
import { DEFAULT_VIEW, KEPT_OPTIONS, type View } from "../view/view";
import { onOtherTab, recall, remember } from "./storage";

const EVERYWHERE = ["smoothing", "isTree", "selecting"] as const;
const HERE = ["pinned", "columns", "sort"] as const;
const KEY = "view";

type Kept = Pick<View, (typeof EVERYWHERE)[number] | (typeof HERE)[number] | "options">;

export class KeptView {
  #everywhere = $state.raw<View>(load(KEY));
  #here = $state.raw<View>(DEFAULT_VIEW);
  #key = "";
  #stop = (): void => undefined;
  /** Not stored yet: a slider that is dragged changes the view in every frame. */
  readonly #unwritten = new Map<string, View>();

  constructor() {
    addEventListener("pagehide", () => this.write());
  }

  /** The view that a bare address stands for. */
  readonly view = $derived.by((): View => ({ ...DEFAULT_VIEW, ...this.fields() }));

  /** What differs from the defaults, or may: the fields to take over into a view. */
  fields(): Kept {
    const [everywhere, here] = [this.#everywhere, this.#here];
    const { smoothing, isTree, selecting, options } = everywhere;
    const { pinned, columns, sort } = here;
    return { smoothing, isTree, selecting, options, pinned, columns, sort };
  }

  /** Every log directory has its own pins and columns. Returns whether it was opened only now. */
  open(locations: readonly string[]): boolean {
    const key = `${KEY}-${hashName(locations.join("\n")).toString(36)}`;
    if (key === this.#key) return false;
    this.write();
    this.#key = key;
    this.#stop();
    this.#stop = onOtherTab(key, () => {
      this.#unwritten.clear();
      this.#here = load(key);
      this.#everywhere = load(KEY);
    });
    this.#here = load(key);
    return true;
  }

  /** The user has changed the view. Only what is different is kept: the rest may come from a link. */
  note(change: Partial<View>, before: View): void {
    const everywhere = { ...pick(change, EVERYWHERE), ...this.changedOptions(change, before) };
    if (Object.keys(everywhere).length > 0) {
      this.#everywhere = { ...this.#everywhere, ...everywhere };
      this.#writeSoon(KEY, this.#everywhere);
    }
    const here = pick(change, HERE);
    if (this.#key && Object.keys(here).length > 0) {
      this.#here = { ...this.#here, ...here };
      this.#writeSoon(this.#key, this.#here);
    }
  }

  #writeSoon(key: string, view: View): void {
    if (this.#unwritten.size === 0) whenIdle(() => this.write());
    this.#unwritten.set(key, view);
  }

  /** Stores what has changed; otherwise this waits until the browser has nothing else to do. */
  write(): void {
    for (const [key, view] of this.#unwritten) remember(key, encodeView(view, () => undefined) || null);
    this.#unwritten.clear();
  }

  private changedOptions({ options }: Partial<View>, before: View): Partial<View> {
    const changed = [...KEPT_OPTIONS.keys()].filter(
      (name) => options && options.get(name) !== before.options.get(name),
    );
    if (!options || changed.length === 0) return {};
    const kept = new Map(this.#everywhere.options);
    for (const name of changed) {
      const value = options.get(name);
      if (value === undefined) kept.delete(name);
      else kept.set(name, value);
    }
    return { options: kept };
  }
}

function pick<K extends keyof View>(change: Partial<View>, names: readonly K[]): Partial<Pick<View, K>> {
  return Object.fromEntries(
    names.filter((name) => change[name] !== undefined).map((name) => [name, change[name]]),
  ) as Partial<Pick<View, K>>;
}

const load = (key: string): View => decodeView(recall(key) ?? "");
