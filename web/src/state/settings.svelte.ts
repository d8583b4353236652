// The view the user has set up, and the ways to change it. The address and the theme's memory are written by App.svelte.

import { compact } from "./selection";
import { encodeView, type NameOf } from "./url";
import { type CardView, DEFAULT_VIEW, type View } from "./view";

const UNTOUCHED: CardView = {};

export class Settings {
  /** Raw: replaced whole. What depends on one field reads the field below, and rests while others change. */
  view = $state.raw<View>(DEFAULT_VIEW);
  isSystemDark = $state(false);

  readonly dashboard = $derived(this.view.dashboard);
  readonly runFilter = $derived(this.view.runFilter);
  readonly runQuery = $derived(this.view.runQuery);
  readonly selection = $derived(this.view.selection);
  readonly isTree = $derived(this.view.isTree);
  readonly shutFolders = $derived(this.view.shutFolders);
  readonly columns = $derived(this.view.columns);
  readonly sort = $derived(this.view.sort);
  readonly colorBy = $derived(this.view.colorBy);
  readonly tagFilter = $derived(this.view.tagFilter);
  readonly collapsed = $derived(this.view.collapsed);
  readonly pinned = $derived(this.view.pinned);
  readonly order = $derived(this.view.order);
  readonly panels = $derived(this.view.panels);
  readonly cards = $derived(this.view.cards);
  readonly xAxis = $derived(this.view.xAxis);
  readonly xScale = $derived(this.view.xScale);
  readonly yScale = $derived(this.view.yScale);
  readonly smoothing = $derived(this.view.smoothing);
  readonly cutsOutliers = $derived(this.view.cutsOutliers);
  readonly showsRaw = $derived(this.view.showsRaw);
  readonly showsEarlier = $derived(this.view.showsEarlier);
  readonly breaksFalls = $derived(this.view.breaksFalls);
  readonly isZoomLinked = $derived(this.view.isZoomLinked);
  readonly linkedX = $derived(this.view.linkedX);
  readonly groupBy = $derived(this.view.groupBy);
  readonly center = $derived(this.view.center);
  readonly spread = $derived(this.view.spread);
  readonly selecting = $derived(this.view.selecting);
  readonly isSelectionLinked = $derived(this.view.isSelectionLinked);
  readonly linkedSelection = $derived(this.view.linkedSelection);
  readonly cursor = $derived(this.view.cursor);
  readonly cursorAxis = $derived(this.view.cursorAxis);
  readonly isCursorLinked = $derived(this.view.isCursorLinked);
  readonly options = $derived(this.view.options);
  readonly theme = $derived(this.view.theme);

  readonly shownTheme = $derived(this.theme === "system" ? (this.isSystemDark ? "dark" : "light") : this.theme);

  set(change: Partial<View>): void {
    this.view = { ...this.view, ...change };
  }

  /** Everything back to how it is at first, but for the tab and the theme. */
  reset(): void {
    const { dashboard, theme } = this.view;
    this.view = { ...DEFAULT_VIEW, dashboard, theme };
  }

  /** Ranges and selected steps are in units of the axis they were made on. */
  setXAxis(xAxis: string): void {
    if (xAxis === this.view.xAxis) return;
    const cards = new Map<string, CardView>();
    for (const [id, { x: _x, selection: _selection, ...kept }] of this.view.cards) if (Object.keys(kept).length > 0) cards.set(id, kept);
    this.set({ xAxis, cards, linkedX: null, linkedSelection: [] });
  }

  card(id: string): CardView {
    return this.cards.get(id) ?? UNTOUCHED;
  }

  /** A field set to undefined goes back to automatic. */
  setCard(id: string, change: { readonly [K in keyof CardView]?: CardView[K] | undefined }): void {
    const kept = Object.entries({ ...this.view.cards.get(id), ...change }).filter(([, value]) => value !== undefined && value !== false);
    const cards = new Map(this.view.cards);
    if (kept.length > 0) cards.set(id, Object.fromEntries(kept));
    else cards.delete(id);
    this.set({ cards });
  }

  /** What a dashboard has set of its own: `name` is `dashboard.option`, as in the address. */
  option(name: string, fallback = ""): string {
    return this.options.get(name) ?? fallback;
  }

  /** The fallback is not kept: addresses name only what differs. */
  setOption(name: string, value: string, fallback = ""): void {
    const options = new Map(this.view.options);
    if (value === fallback) options.delete(name);
    else options.set(name, value);
    this.set({ options });
  }

  toggle(field: "collapsed" | "shutFolders", entry: string): void {
    const entries = new Set(this.view[field]);
    if (!entries.delete(entry)) entries.add(entry);
    this.set({ [field]: entries });
  }

  togglePin(id: string): void {
    const { pinned } = this.view;
    this.set({ pinned: pinned.includes(id) ? pinned.filter((each) => each !== id) : [...pinned, id] });
  }

  /** The address of this view, or of this view with something else in it. */
  address(names: readonly string[], nameOf: NameOf, change: Partial<View> = {}): string {
    const view = { ...this.view, ...change };
    return encodeView({ ...view, selection: compact(view.selection, names) }, nameOf);
  }
}
