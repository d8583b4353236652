// The views of a profile. Each is a folder that loads when it is first opened, and gets the page.

import type { Component } from "svelte";
import type { About } from "./answer";
import type { ProfilePage } from "./profile_page.svelte";

export interface ProfileView {
  readonly name: string;
  readonly title: string;
  /** Missing: it is listed for every profile. */
  readonly isFor?: (about: About | null) => boolean;
  readonly load: () => Promise<{ readonly default: Component<{ page: ProfilePage }> }>;
}

/** Whether it tells of time, not of memory alone. */
const isTimed = (about: About | null): boolean => !["pprof", "memory snapshot"].includes(about?.kind ?? "");

export const VIEWS: readonly ProfileView[] = [
  { name: "summary", title: "Summary", isFor: isTimed, load: () => import("./summary/SummaryView.svelte") },
  { name: "trace", title: "Trace", load: () => import("./trace_view/TraceView.svelte") },
  { name: "input", title: "Input", isFor: isTimed, load: () => import("./input/InputView.svelte") },
  { name: "ops", title: "Ops", isFor: isTimed, load: () => import("./tables/OpsView.svelte") },
  { name: "kernels", title: "Kernels", isFor: isTimed, load: () => import("./tables/KernelsView.svelte") },
  { name: "memory", title: "Memory", load: () => import("./memory/MemoryView.svelte") },
  {
    name: "workers",
    title: "Workers",
    isFor: (about) => (about?.hosts.length ?? 0) > 1,
    load: () => import("./workers/WorkersView.svelte"),
  },
  { name: "compare", title: "Compare", load: () => import("./compare/CompareView.svelte") },
];
/** Null: there is no view of this name. */
export const findView = (name: string): ProfileView | null => VIEWS.find((view) => view.name === name) ?? null;

/** Whether a profile has a view; until it was read, all that tells of one worker's time and memory. */
export const hasView = (view: ProfileView, about: About | null): boolean => !view.isFor || view.isFor(about);

/** Without a choice: the summary; without steps, or where an address means a moment, the trace. */
export const usualView = (isOfTrace: boolean, hasSteps: boolean): ProfileView =>
  findView(hasSteps && !isOfTrace ? "summary" : "trace") as ProfileView;
