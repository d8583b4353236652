// The commands of the Projector, for the palette and the keyboard.

import type { Command } from "../../state/commands.svelte";
import { EXPORTS, type ExportKind } from "./export/kinds";
import { setDrawing, setTool, toggleExtra } from "./options";
import type { ProjectorPage } from "./projector_page.svelte";
import { METHODS, usualRecipe } from "./recipe";

interface Does {
  readonly search: () => void;
  readonly panel: () => void;
  readonly inspector: () => void;
  readonly save: (kind: ExportKind) => void;
  readonly file: () => void;
}

export function projectorCommands(page: ProjectorPage, does: Does): Command[] {
  const { settings, selection, cloud, search } = page;
  const command = (id: string, title: string, run: () => void, keys?: string): Command => ({
    id: `projector.${id}`,
    title,
    group: "Projector",
    run,
    ...(keys !== undefined && { keys }),
  });
  const ofSelected = (run: (rows: Int32Array) => void): void => {
    if (selection.count > 0) run(selection.rows);
    else page.session.messages.say("Select points first.");
  };
  return [
    command("search", "Search points", does.search, "/"),
    command("next", "Next match", () => search.step(1), "n"),
    command("previous", "Previous match", () => search.step(-1), "N"),
    command("home", "Fit all points into view", () => cloud.home(), "f"),
    command("fit", "Fit the selected points into view", () => ofSelected((rows) => cloud.fit(rows))),
    command("pointer", "Move and pick points", () => setTool(settings, "point"), "v"),
    command("lasso", "Select with a lasso", () => setTool(settings, "lasso"), "l"),
    command("box", "Select a box", () => setTool(settings, "box"), "b"),
    command("sphere", "Select what is around a point", () => setTool(settings, "sphere")),
    command("dots", "Draw points as dots", () => setDrawing(settings, "dots")),
    command("pictures", "Draw points as pictures", () => setDrawing(settings, "pictures")),
    command("text", "Draw points as text", () => setDrawing(settings, "text")),
    command("size", "Switch between 2D and 3D", () => page.setDimensions(page.dimensions === 3 ? 2 : 3), "d"),
    command("rotate", "Rotate the points (3D)", () => (cloud.isRotating = !cloud.isRotating)),
    command("names", "Show or hide names", () => toggleExtra(settings, "names")),
    command("contours", "Show or hide contours", () => toggleExtra(settings, "contours")),
    ...METHODS.filter(({ value }) => value !== "custom").map(({ value, label }) =>
      command(value, `Project by ${label}`, () =>
        page.reduce(usualRecipe(value, page.about?.dimensions ?? null, page.dimensions)),
      ),
    ),
    command("isolate", "Isolate the selected points", () => ofSelected((rows) => page.isolate(rows))),
    command("hide", "Hide the selected points", () => ofSelected((rows) => page.hide(rows))),
    command("invert", "Invert the selection", () => page.invert()),
    command("clear", "Select nothing", () => selection.clear()),
    command("all", "Show all points again", () => page.showAll()),
    command("split", "Two projections side by side", () => page.setView(page.view === "split" ? "" : "split")),
    command("table", "All points in a table", () => page.setView(page.view === "table" ? "" : "table")),
    command("panel", "Show or hide the panel with the projection", does.panel),
    command("inspector", "Show or hide the inspector", does.inspector, "i"),
    command("file", "Open vectors and labels from files", does.file),
    ...EXPORTS.map(({ kind, label }) => command(`export.${kind}`, `Export: ${label}`, () => does.save(kind))),
  ];
}
