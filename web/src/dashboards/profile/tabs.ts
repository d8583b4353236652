// The views of a profile. Each is a folder that loads when it is first opened, and gets the page.

import type { Component } from "svelte";
import type { ProfilePage } from "./profile_page.svelte";

export interface ProfileView {
  readonly name: string;
  readonly title: string;
  readonly load: () => Promise<{ readonly default: Component<{ page: ProfilePage }> }>;
}

export const VIEWS: readonly ProfileView[] = [
  { name: "summary", title: "Summary", load: () => import("./summary/SummaryView.svelte") },
  { name: "trace", title: "Trace", load: () => import("./trace_view/TraceView.svelte") },
  { name: "compare", title: "Compare", load: () => import("./compare/CompareView.svelte") },
];
/** Without a choice, the trace: what leads here from a step means the events of that step. */
export const findView = (name: string): ProfileView =>
  VIEWS.find((view) => view.name === name) ?? (VIEWS.find((view) => view.name === "trace") as ProfileView);
