// What the user has set for the whole page. Changed through its functions only; the address and the theme's memory
// are written by App.svelte.

import { SvelteMap, SvelteSet } from "svelte/reactivity";
import type { XAxis } from "../api/types";
import { DEFAULT_VIEW, type Range, type Theme, type View } from "./url";

export class Settings {
  dashboard = $state(DEFAULT_VIEW.dashboard);
  tagFilter = $state(DEFAULT_VIEW.tagFilter);
  smoothing = $state(DEFAULT_VIEW.smoothing);
  xAxis = $state<XAxis>(DEFAULT_VIEW.xAxis);
  cutsOutliers = $state(DEFAULT_VIEW.cutsOutliers);
  theme = $state<Theme>(DEFAULT_VIEW.theme);
  isSystemDark = $state(false);
  readonly collapsed = new SvelteSet<string>();
  readonly logTags = new SvelteSet<string>();
  readonly zooms = new SvelteMap<string, Range>();

  readonly shownTheme = $derived(this.theme === "system" ? (this.isSystemDark ? "dark" : "light") : this.theme);

  /** A zoom is in units of the axis it was made on. */
  setXAxis(xAxis: XAxis): void {
    if (xAxis === this.xAxis) return;
    this.xAxis = xAxis;
    this.zooms.clear();
  }

  setZoom(tag: string, range: Range | null): void {
    if (range) this.zooms.set(tag, range);
    else this.zooms.delete(tag);
  }

  toggle(set: Set<string>, entry: string): void {
    if (!set.delete(entry)) set.add(entry);
  }

  apply(view: View): void {
    this.dashboard = view.dashboard;
    this.tagFilter = view.tagFilter;
    this.smoothing = view.smoothing;
    this.xAxis = view.xAxis;
    this.cutsOutliers = view.cutsOutliers;
    this.theme = view.theme;
    refill(this.collapsed, view.collapsed);
    refill(this.logTags, view.logTags);
    this.zooms.clear();
    for (const [tag, range] of view.zooms) this.zooms.set(tag, range);
  }
}

function refill(set: Set<string>, entries: Iterable<string>): void {
  set.clear();
  for (const entry of entries) set.add(entry);
}
