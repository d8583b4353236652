// Where the strip's links lead: to runs, to the dashboard of a tag, to the health of files.

import type { CardKind } from "../../api/asset_kind";
import { exactly } from "../../base/pattern";
import type { Tab } from "../../cards/dashboards";
import type { Session } from "../../state/session.svelte";
import { withRuns } from "../../state/runs/selection";
import type { View } from "../../state/view/view";

/** Shows only the runs of a training: the one of this name and its parts. Can be undone. */
export function showTraining(session: Session, name: string, run: string): void {
  const { runs, settings, messages } = session;
  const before = settings.selection;
  const parts = partsOf(runs.names, name, run);
  runs.selectOnly(...parts);
  messages.say(`Showing only ${runs.title(name === "." ? run : name)}.`, {
    action: { label: "Undo", run: () => runs.setSelection(before) },
  });
}

/** A training that is `.` has parts, but no name of its own. */
export function partsOf(names: readonly string[], name: string, run: string): readonly string[] {
  const parts = names.filter((each) => each === name || (name !== "." && each.startsWith(`${name}/`)));
  return parts.length > 0 ? parts : [run];
}

/** Opens the dashboard of a kind with this tag, and shows the run there. */
export function openTag(
  session: Session,
  tabs: readonly Tab[],
  { kind, tag, run }: { kind: CardKind; tag: string; run: string },
  change: Partial<View> = {},
): void {
  const { runs, settings } = session;
  const tab = tabs.find(({ cards }) => cards?.some((offer) => offer.kind === kind && !offer.isMade));
  settings.set({
    ...(tab ? { dashboard: tab.name } : {}),
    tagFilter: exactly(tag),
    selection: withRuns(settings.selection, [run], true, runs.names),
    ...change,
  });
}

export function openHealth(session: Session): void {
  session.commands.all.find(({ id }) => id === "page.health")?.run();
}
