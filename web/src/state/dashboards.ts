// What a dashboard is to the frame around it, and the order of the tabs. Knows none of them by name.

import type { Component } from "svelte";
import type { DashboardInfo } from "../api/types";
import type { Session } from "./session.svelte";

export interface DashboardProps {
  session: Session;
}

/** What a dashboard's index.ts exports. Its title and kinds come from the server's list. */
export interface DashboardModule {
  readonly load: () => Promise<{ default: Component<DashboardProps> }>;
}

export interface Tab extends DashboardInfo {
  readonly load: DashboardModule["load"];
}

/** Tabs in the server's order; what this page has no folder for is left out. `modules` is keyed by `…/name/index.ts`. */
export function makeTabs(listed: readonly DashboardInfo[], modules: Readonly<Record<string, DashboardModule>>): Tab[] {
  const byName = new Map(Object.entries(modules).map(([path, module]) => [path.split("/").at(-2), module]));
  return listed.flatMap((info) => {
    const module = byName.get(info.name);
    return module ? [{ ...info, load: module.load }] : [];
  });
}

/** The tab the user asked for, else the first with data, else the first. */
export function chooseTab(tabs: readonly Tab[], name: string): Tab | null {
  return tabs.find((tab) => tab.name === name) ?? tabs.find((tab) => tab.is_active) ?? tabs[0] ?? null;
}
