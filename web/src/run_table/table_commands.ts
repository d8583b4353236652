// The commands of the run table, for the command palette and the list of shortcuts.

import type { Command } from "../state/commands.svelte";
import type { Session } from "../state/session.svelte";
import { ALL } from "../state/runs/selection";
import type { RunActions } from "./run_actions";
import type { RunDialog } from "./run_dialogs";

export function tableCommands(session: Session, actions: RunActions, open: (dialog: RunDialog) => void): Command[] {
  const { runs, settings } = session;
  const command = (id: string, title: string, run: () => void, keys?: string): Command => ({
    id: `runs.${id}`,
    title,
    group: "Runs",
    run,
    ...(keys && { keys }),
  });
  return [
    command("all", "Select all listed runs", () => actions.all(), "a"),
    command("none", "Deselect all listed runs", () => actions.none(), "n"),
    command("invert", "Invert the selection of listed runs", () => actions.invert(), "i"),
    command("every", "Select all runs and clear the filters", () =>
      settings.set({ selection: ALL, runFilter: "", runQuery: "" }),
    ),
    command("starred", "Select only starred runs", () => actions.starredOnly()),
    command("extremes", "Select the highest or lowest runs of a column…", () => open({ name: "extremes" })),
    command("columns", "Columns of the run table…", () => open({ name: "columns" }), "c"),
    command("colors", "Colour runs by…", () => open({ name: "colors" })),
    command("tree", "Switch between directory tree and flat list", () => settings.set({ isTree: !settings.isTree })),
    command("hidden", "List or omit hidden runs", () => (runs.showsHidden = !runs.showsHidden)),
    command("archive", "Hide deselected runs (archive)", () => actions.hideDeselected()),
    command("unhide", "Unhide all runs", () => actions.unhideAll()),
    command("label", "Label shown runs…", () => open({ name: "labels", runs: runs.shown })),
    command("save", "Export stars, labels, names, notes and colours", () => actions.saveMarks()),
    command("load", "Import stars, labels, names, notes and colours…", () => void actions.addMarks()),
  ];
}
