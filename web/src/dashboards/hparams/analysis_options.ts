// What the user sets in the analyses of HParams, stored in the address: which columns they show, and how. A choice of
// the page stands in place of what is not set.

import type { Settings } from "../../state/view/settings.svelte";
import type { HParamsPage } from "./hparams_page.svelte";
import { readList, setView, writeList } from "./options";

const PARETO = "hparams.pareto";
const MAP = "hparams.map";
const SCATTER = "hparams.scatter";
const MATRIX = "hparams.matrix";
const EFFECT = "hparams.effect";
const BASELINE = "hparams.effect_baseline";
const BEST = "hparams.best";
const COMPARED = "hparams.compared";

/** Ids of metrics: the vertical axis, the horizontal one, then further ones of the front. */
export const paretoMetrics = (settings: Settings): readonly string[] => readList(settings, PARETO);
export const setParetoMetrics = (settings: Settings, ids: readonly string[]): void => writeList(settings, PARETO, ids);

/** Ids of the settings of the map: vertical, horizontal. */
export const mapColumns = (settings: Settings): readonly string[] => readList(settings, MAP);
export function showMap(page: HParamsPage, vertical: string, horizontal: string): void {
  writeList(page.settings, MAP, [vertical, horizontal]);
}

export interface ScatterColumns {
  readonly x: string;
  readonly y: string;
  /** "": all of one size. */
  readonly size: string;
  /** "": no means. */
  readonly groups: string;
}
export function scatterColumns(settings: Settings): ScatterColumns {
  const [x = "", y = "", size = "", groups = ""] = readList(settings, SCATTER);
  return { x, y, size, groups };
}
export function setScatterColumns(settings: Settings, { x, y, size, groups }: ScatterColumns): void {
  writeList(settings, SCATTER, [x, y, size, groups]);
}

/** Ids of columns across; empty: chosen by the page. */
export const matrixColumns = (settings: Settings): readonly string[] => readList(settings, MATRIX);
export const setMatrixColumns = (settings: Settings, ids: readonly string[]): void => writeList(settings, MATRIX, ids);

export const effectColumn = (settings: Settings): string => settings.option(EFFECT);
export function setEffectColumn(settings: Settings, id: string): void {
  settings.setOption(BASELINE, "");
  settings.setOption(EFFECT, id);
}
export function showEffect(page: HParamsPage, id: string): void {
  setEffectColumn(page.settings, id);
  setView(page.settings, "effect");
}
/** The value that others are compared with, as its label; "": the commonest. */
export const effectBaseline = (settings: Settings): string => settings.option(BASELINE);
export const setEffectBaseline = (settings: Settings, label: string): void => settings.setOption(BASELINE, label);

export const isBestOverTime = (settings: Settings): boolean => settings.option(BEST) === "time";
export const setBestOverTime = (settings: Settings, isOver: boolean): void =>
  settings.setOption(BEST, isOver ? "time" : "");

/** The run that others are compared with; "": the baseline of the run table, else the first. */
export const comparedTo = (settings: Settings): string => settings.option(COMPARED);
export const setComparedTo = (settings: Settings, run: string): void => settings.setOption(COMPARED, run);
