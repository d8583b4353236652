// The entries of the command palette: commands, saved views, runs and tags, each with its action.

import { exactly } from "../base/pattern";
import type { TagIndex } from "../api/types";
import type { Tab } from "../cards/dashboards";
import { visibleText } from "../base/visible_text";
import type { Session } from "../state/session.svelte";
import { applyAddress } from "./address.svelte";

export interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly keys?: string;
  readonly run: () => void;
}

/** Commands first: they win among equal matches. */
export function makeEntries(session: Session, tabs: readonly Tab[]): Entry[] {
  const { settings, runs } = session;
  const commands = session.commands.all
    .filter(({ id }) => id !== "page.palette")
    .map(({ id, title, group, keys, run }) => ({ id, kind: group, title, ...(keys && { keys }), run }));
  const views = session.views.all.map(({ name, address }) => ({
    id: `view ${name}`,
    kind: "View",
    title: name,
    run: () => applyAddress(session, address),
  }));
  const listed = runs.names.map((name) => ({
    id: `run ${name}`,
    kind: "Show only this run",
    title: runs.title(name),
    run: () => runs.selectOnly(name),
  }));
  return [...commands, ...views, ...listed, ...tabs.filter((tab) => tab.is_active).flatMap((tab) => tagEntries(tab))];

  function tagEntries(tab: Tab): Entry[] {
    const kinds = tab.lists === "offered" ? (tab.leads ?? []) : tab.lists;
    const tags = kinds.flatMap((kind) => tagsOf(session.tags.index(kind)));
    return tags.map((tag) => ({
      id: `tag ${tab.name} ${tag}`,
      kind: `${tab.title} · tag`,
      title: visibleText(tag),
      run: () => settings.set({ dashboard: tab.name, tagFilter: exactly(tag) }),
    }));
  }
}

/** Every tag once, in order of appearance. */
function tagsOf(index: TagIndex | null): string[] {
  return [...new Set(index?.tag_sets.flatMap((tags) => Object.keys(tags)))];
}
