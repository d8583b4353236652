// The current view, and the ways to change it. frame/address.svelte.ts writes it to the address; the session keeps the
// theme in the preferences.

import { compact } from "../runs/selection";
import { encodeView, type NameOf } from "./url";
import { type CardView, DEFAULT_VIEW, type View } from "./view";

const UNTOUCHED: CardView = {};

const FIELDS = Object.keys(DEFAULT_VIEW) as (keyof View)[];

/** One field of the view: what depends on it does not run when other fields change. */
class Field {
  value = $state.raw<unknown>();
}

// Every field of the view can be read reactively by its name.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unsafe-declaration-merging
export interface Settings extends View {}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class Settings {
  #view = $state.raw<View>(DEFAULT_VIEW);
  /** The same, for reads that must not be reactive. */
  #last: View = DEFAULT_VIEW;
  readonly #fields = new Map(FIELDS.map((name) => [name, new Field()]));
  isSystemDark = $state(false);
  /** What the browser keeps of the view, and learns of changes by the user. */
  kept: { readonly view: View; note: (change: Partial<View>, before: View) => void } | null = null;

  static {
    for (const name of FIELDS) {
      Object.defineProperty(this.prototype, name, {
        get(this: Settings) {
          return this.#fields.get(name)?.value;
        },
      });
    }
  }

  constructor() {
    for (const name of FIELDS) this.#write(name, DEFAULT_VIEW[name]);
  }

  /** The whole view; replaced, never edited. */
  get view(): View {
    return this.#view;
  }

  set view(view: View) {
    for (const name of FIELDS) if (view[name] !== this.#last[name]) this.#write(name, view[name]);
    this.#view = this.#last = view;
  }

  #write(name: keyof View, value: unknown): void {
    const field = this.#fields.get(name);
    if (field) field.value = value;
  }

  readonly shownTheme = $derived(this.theme === "system" ? (this.isSystemDark ? "dark" : "light") : this.theme);

  set(change: Partial<View>): void {
    const before = this.#last;
    this.view = { ...before, ...change };
    this.kept?.note(change, before);
  }

  /** Resets everything except the tab and the theme. */
  reset(): void {
    const { dashboard, theme } = this.#last;
    this.set({ ...DEFAULT_VIEW, dashboard, theme });
  }

  /** Clears ranges and selected steps: they are in units of the old axis. */
  setXAxis(xAxis: string): void {
    if (xAxis === this.view.xAxis) return;
    const cards = new Map<string, CardView>();
    for (const [id, { x: _x, selection: _selection, ...kept }] of this.view.cards)
      if (Object.keys(kept).length > 0) cards.set(id, kept);
    this.set({ xAxis, cards, linkedX: null, linkedSelection: [] });
  }

  card(id: string): CardView {
    return this.cards.get(id) ?? UNTOUCHED;
  }

  /** A field set to undefined becomes automatic again. */
  setCard(id: string, change: { readonly [K in keyof CardView]?: CardView[K] | undefined }): void {
    const kept = Object.entries({ ...this.view.cards.get(id), ...change }).filter(
      ([, value]) => value !== undefined && value !== false,
    );
    const cards = new Map(this.view.cards);
    if (kept.length > 0) cards.set(id, Object.fromEntries(kept));
    else cards.delete(id);
    this.set({ cards });
  }

  /** An option of a dashboard: `name` is `dashboard.option`, as in the address. */
  option(name: string, fallback = ""): string {
    return this.options.get(name) ?? fallback;
  }

  /** The fallback is not stored: addresses name only what differs. */
  setOption(name: string, value: string, fallback = ""): void {
    const options = new Map(this.view.options);
    if (value === fallback) options.delete(name);
    else options.set(name, value);
    this.set({ options });
  }

  toggle(field: "collapsed" | "collapsedFolders", entry: string): void {
    const entries = new Set(this.view[field]);
    if (!entries.delete(entry)) entries.add(entry);
    this.set({ [field]: entries });
  }

  togglePin(id: string): void {
    const { pinned } = this.view;
    this.set({ pinned: pinned.includes(id) ? pinned.filter((each) => each !== id) : [...pinned, id] });
  }

  /** The address of this view, optionally with changes. `isShared`: for others, who keep something else. */
  address(
    names: readonly string[],
    nameOf: NameOf,
    change: Partial<View> = {},
    { isShared = false }: { isShared?: boolean } = {},
  ): string {
    const view = { ...this.view, ...change };
    const kept = isShared ? DEFAULT_VIEW : (this.kept?.view ?? DEFAULT_VIEW);
    return encodeView({ ...view, selection: compact(view.selection, names) }, nameOf, kept);
  }
}
