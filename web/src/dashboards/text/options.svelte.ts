// Display options for all text cards, stored in the URL.

import type { Settings } from "../../state/view/settings.svelte";

export const MODES = [
  { value: "markdown", label: "Markdown", hint: "Rendered, with tables, code and formulas" },
  { value: "raw", label: "Raw", hint: "As logged" },
  { value: "json", label: "JSON", hint: "Objects and lists as a tree" },
  { value: "diff", label: "Diff", hint: "Changes since the previous step, or from another run" },
] as const;
export type Mode = (typeof MODES)[number]["value"];
export type DiffUnit = "lines" | "words";

export class TextSettings {
  constructor(private readonly settings: Settings) {}

  readonly mode = $derived.by(
    (): Mode => MODES.find(({ value }) => value === this.settings.option("text.mode"))?.value ?? "markdown",
  );
  /** Lists all steps of a card, instead of the one at the cursor. */
  readonly isList = $derived.by(() => this.settings.option("text.steps") === "all");
  readonly isWrapped = $derived.by(() => this.settings.option("text.wrap", "on") === "on");
  /** The run to compare texts with. Empty means the previous step. */
  readonly against = $derived.by(() => this.settings.option("text.against"));
  readonly unit = $derived.by((): DiffUnit => (this.settings.option("text.by") === "words" ? "words" : "lines"));
  readonly query = $derived.by(() => this.settings.option("text.search"));
  readonly isRegex = $derived.by(() => this.settings.option("text.regex") === "on");
  readonly isCaseSensitive = $derived.by(() => this.settings.option("text.case") === "on");

  setMode = (mode: Mode): void => this.settings.setOption("text.mode", mode, "markdown");
  setList = (isList: boolean): void => this.settings.setOption("text.steps", isList ? "all" : "");
  setWrapped = (isWrapped: boolean): void => this.settings.setOption("text.wrap", isWrapped ? "on" : "off", "on");
  setAgainst = (run: string): void => this.settings.setOption("text.against", run);
  setUnit = (unit: DiffUnit): void => this.settings.setOption("text.by", unit, "lines");
  setQuery = (query: string): void => this.settings.setOption("text.search", query);
  setRegex = (isRegex: boolean): void => this.settings.setOption("text.regex", isRegex ? "on" : "");
  setCaseSensitive = (isCaseSensitive: boolean): void =>
    this.settings.setOption("text.case", isCaseSensitive ? "on" : "");
}
