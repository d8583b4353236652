// What the run table does to many runs at once. Each action shows a message with a way to undo it.

import type { Session } from "../state/session.svelte";
import type { RunColumn } from "../state/view/view";
import { countOf, formatCount } from "../base/count";
import { copyText, pickText, saveFile } from "../base/files";
import { quoteLabel } from "../state/runs/query_tokens";
import { columnName } from "./cell_text";

/** Smaller changes are visible at a glance. */
const MANY = 10;

export class RunActions {
  constructor(private readonly session: Session) {}

  /** Runs a change of the selection, and shows a message if it affects many runs. */
  private choose(change: () => void, what = ""): void {
    const { runs, settings, messages } = this.session;
    const before = settings.selection;
    const wasSelected = new Set(runs.names.filter((name) => runs.isSelected(name)));
    change();
    const added = runs.names.filter((name) => runs.isSelected(name) && !wasSelected.has(name)).length;
    const taken = runs.names.filter((name) => !runs.isSelected(name) && wasSelected.has(name)).length;
    if (added + taken < MANY) return;
    const counts = [
      added > 0 && `${countOf(added, "run")} selected`,
      taken > 0 && `${countOf(taken, "run")} deselected`,
    ]
      .filter(Boolean)
      .join(", ");
    messages.say(`${what && `${what}: `}${counts}.`, {
      action: { label: "Undo", run: () => settings.set({ selection: before }) },
    });
  }

  select(names: readonly string[], isOn: boolean): void {
    this.choose(() => this.session.runs.setSelected(names, isOn));
  }

  all(): void {
    this.choose(() => this.session.runs.setListedSelected(true));
  }

  none(): void {
    this.choose(() => this.session.runs.setListedSelected(false));
  }

  invert(): void {
    this.choose(() => this.session.runs.invertListed(), "Selection inverted");
  }

  only(names: readonly string[]): void {
    const { runs } = this.session;
    const [first = ""] = names;
    this.choose(
      () => runs.selectOnly(...names),
      names.length === 1 ? `Only ${runs.title(first)}` : `Only ${countOf(names.length, "run")}`,
    );
  }

  starredOnly(): void {
    const { runs, overlay, messages } = this.session;
    const starred = runs.listed.filter((name) => overlay.of(name).isStarred);
    if (starred.length === 0) messages.say("No listed runs are starred.");
    else this.choose(() => runs.selectOnly(...starred), "Starred runs only");
  }

  extremes(column: RunColumn, n: number, isHighest: boolean): void {
    const { runs, messages } = this.session;
    const found = runs.extremes(column, n, isHighest);
    if (found.length === 0) messages.say(`No listed run has a number for ${columnName(column)}.`);
    else
      this.choose(
        () => runs.selectOnly(...found),
        `The ${formatCount(found.length)} ${isHighest ? "highest" : "lowest"} by ${columnName(column)}`,
      );
  }

  hide(names: readonly string[], isHidden: boolean): void {
    const { overlay, runs, messages } = this.session;
    const changed = names.filter((name) => runs.isHidden(name) !== isHidden);
    const undo = overlay.mark(changed, { isHidden });
    const [first = ""] = changed;
    const text = `${changed.length === 1 ? runs.title(first) : countOf(changed.length, "run")} ${isHidden ? "hidden from table and charts" : "unhidden"}.`;
    messages.say(text, { action: { label: "Undo", run: undo } });
  }

  /** Archives what the user has looked at and put aside. */
  hideDeselected(): void {
    const { runs, messages } = this.session;
    const others = runs.listed.filter((name) => !runs.isSelected(name));
    if (others.length === 0) messages.say("All listed runs are selected.");
    else this.hide(others, true);
  }

  unhideAll(): void {
    const { runs, messages } = this.session;
    const hidden = runs.names.filter((name) => runs.isHidden(name));
    if (hidden.length === 0) messages.say("No runs are hidden.");
    else this.hide(hidden, false);
  }

  /** Lists only runs with this label; a second click lists all again. */
  onlyLabelled(label: string): void {
    const { settings } = this.session;
    const runQuery = `label:${quoteLabel(label)}`;
    settings.set({ runQuery: settings.runQuery === runQuery ? "" : runQuery });
  }

  async copy(text: string): Promise<void> {
    const isCopied = await copyText(text);
    this.session.messages.say(isCopied ? `Copied: ${text}` : "The browser did not allow copying.", {
      isError: !isCopied,
    });
  }

  saveMarks(): void {
    saveFile("runglass-marks.json", this.session.overlay.toText());
  }

  async addMarks(): Promise<void> {
    const { overlay, messages } = this.session;
    const text = await pickText();
    if (text === null) return;
    try {
      const undo = overlay.addText(text);
      messages.say(`Marks imported: ${countOf(overlay.runs.size, "run")} marked.`, {
        action: { label: "Undo", run: undo },
      });
    } catch (cause) {
      messages.say((cause as Error).message, { isError: true });
    }
  }
}
