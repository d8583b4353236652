// What the run table can do, by name, for the command palette and the list of shortcuts.

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
    command("all", "Tick all listed runs", () => actions.all(), "a"),
    command("none", "Tick none of the listed runs", () => actions.none(), "n"),
    command("invert", "Invert the ticks of the listed runs", () => actions.invert(), "i"),
    command("every", "Tick every run and take the filters away", () =>
      settings.set({ selection: ALL, runFilter: "", runQuery: "" }),
    ),
    command("starred", "Tick only runs with a star", () => actions.starredOnly()),
    command("extremes", "Tick the highest or lowest runs of a column …", () => open({ name: "extremes" })),
    command("columns", "Columns of the run table …", () => open({ name: "columns" }), "c"),
    command("colors", "Colour runs by …", () => open({ name: "colors" })),
    command("tree", "Runs as a tree, or flat", () => settings.set({ isTree: !settings.isTree })),
    command("hidden", "List hidden runs, or not", () => (runs.showsHidden = !runs.showsHidden)),
    command("save", "Save stars, names, notes and colours as a file", () => actions.saveMarks()),
    command("load", "Add stars, names, notes and colours from a file …", () => void actions.addMarks()),
  ];
}
