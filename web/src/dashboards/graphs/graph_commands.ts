// The commands of Graphs, for the palette and the keyboard.

import type { Command } from "../../state/commands.svelte";
import { EXPORTS, type ExportKind } from "./export_kinds";
import type { GraphsPage } from "./graphs_page.svelte";
import type { Trace } from "./info/trace.svelte";
import { FOLDINGS } from "./options";

interface Does {
  readonly search: () => void;
  readonly step: (by: 1 | -1) => void;
  readonly trace: Trace;
  readonly info: () => void;
  readonly save: (kind: ExportKind) => void;
  readonly file: () => void;
}

export function graphCommands(page: GraphsPage, does: Does): Command[] {
  const { main } = page;
  const command = (id: string, title: string, run: () => void, keys?: string): Command => ({
    id: `graphs.${id}`,
    title,
    group: "Graphs",
    run,
    ...(keys !== undefined && { keys }),
  });
  const changeDepth = (by: 1 | -1): void => {
    const depth = Math.min(Math.max(main.depth + by, 1), main.view.facts?.depth ?? 1);
    if (depth !== main.depth) void page.setDepth(depth);
  };
  const ofSelected = (run: (id: string) => void): void => {
    if (main.view.selected !== null) run(main.view.selected);
    else page.session.messages.say("Select a node first.");
  };
  return [
    command("search", "Search nodes", does.search, "/"),
    command("next", "Next match", () => does.step(1), "n"),
    command("previous", "Previous match", () => does.step(-1), "N"),
    command("fit", "Fit the graph into view", () => main.view.fit(), "f"),
    command("deeper", "Open one more level", () => changeDepth(1), "+"),
    command("flatter", "Close one level", () => changeDepth(-1), "-"),
    command("open", "Open or close the selected group", () => ofSelected((id) => void main.view.toggle(id))),
    command("below", "Open all groups below the selected one", () => ofSelected((id) => void main.view.openBelow(id))),
    command(
      "inputs",
      "Light up the inputs of the selected node",
      () => ofSelected(() => does.trace.toggle("inputs")),
      "i",
    ),
    command(
      "outputs",
      "Light up the outputs of the selected node",
      () => ofSelected(() => does.trace.toggle("outputs")),
      "o",
    ),
    command("path", "Light up the paths to another node", () => ofSelected(() => does.trace.pickEnd())),
    command("graph", "Show one graph", () => page.setView("")),
    command("split", "Show two graphs side by side", () => page.setView("split")),
    command("table", "Show all nodes in a table", () => page.setView("table")),
    command("compare", "Compare with another graph", () => page.compareWithOther()),
    command("info", "Show or hide the panel with details", does.info),
    command("file", "Open a model file", does.file),
    ...FOLDINGS.map(({ name, label }) => command(`fold.${name}`, `${label}, or not`, () => page.toggleFolding(name))),
    ...EXPORTS.map(({ kind, label }) => command(`export.${kind}`, `Export as ${label}`, () => does.save(kind))),
  ];
}
