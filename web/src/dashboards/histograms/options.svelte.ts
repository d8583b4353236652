// The settings for all histogram cards, stored in the address.

import type { CountScale, HistogramMode } from "../../chart/histogram_model";
import type { ScaleKind } from "../../chart/model";
import type { Settings } from "../../state/view/settings.svelte";

export const MODES: readonly { value: HistogramMode; label: string; hint: string }[] = [
  { value: "offset", label: "Offset", hint: "Steps behind each other, latest in front" },
  { value: "overlay", label: "Overlay", hint: "All steps on one baseline" },
  { value: "heat", label: "Heat map", hint: "Steps from left to right, counts as colour" },
];
export const VALUE_SCALES: readonly { value: ScaleKind; label: string }[] = [
  { value: "linear", label: "Linear" },
  { value: "log", label: "Log" },
  { value: "symlog", label: "Symlog" },
];
export const COUNT_SCALES: readonly { value: CountScale; label: string }[] = [
  { value: "linear", label: "Linear" },
  { value: "log", label: "Log" },
];
export const MIN_BINS = 5;
export const MAX_BINS = 500;
const USUAL_BINS = "50";
const STORED = "stored";

export class HistogramSettings {
  constructor(private readonly settings: Settings) {}

  readonly mode = $derived.by(() => this.#among(MODES, "mode"));
  readonly valueScale = $derived.by(() => this.#among(VALUE_SCALES, "x"));
  readonly countScale = $derived.by(() => this.#among(COUNT_SCALES, "y"));
  /** Shows one card per tag with all runs at the cursor, instead of one per run with all steps. */
  readonly isComparing = $derived.by(() => this.settings.option("histograms.compare") === "1");
  readonly isRanking = $derived.by(() => this.settings.option("histograms.ranking") === "1");
  /** Null: buckets as stored. */
  readonly bins = $derived.by((): number | null => {
    const text = this.settings.option("histograms.bins", USUAL_BINS);
    const number = Number(text);
    if (text === STORED) return null;
    return Number.isInteger(number) && number >= MIN_BINS && number <= MAX_BINS ? number : Number(USUAL_BINS);
  });

  setMode = (mode: HistogramMode): void => this.settings.setOption("histograms.mode", mode, "offset");
  setValueScale = (scale: ScaleKind): void => this.settings.setOption("histograms.x", scale, "linear");
  setCountScale = (scale: CountScale): void => this.settings.setOption("histograms.y", scale, "linear");
  /** Returns to the default number of bins, because the address stores either a number or "stored". */
  toggleStored = (): void => this.setBins(this.bins === null ? Number(USUAL_BINS) : null);
  setBins = (bins: number | null): void =>
    this.settings.setOption("histograms.bins", bins === null ? STORED : String(Math.round(bins)), USUAL_BINS);
  setComparing = (is: boolean): void => this.settings.setOption("histograms.compare", is ? "1" : "", "");
  setRanking = (is: boolean): void => this.settings.setOption("histograms.ranking", is ? "1" : "", "");

  #among<T extends string>(options: readonly { value: T }[], name: string): T {
    const set = this.settings.option(`histograms.${name}`);
    return (options.find(({ value }) => value === set) ?? (options[0] as { value: T })).value;
  }
}
