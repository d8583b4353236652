// What the user sets in HParams, stored in the address: brushes, metrics and their goals, axes, the table, and the
// columns of analyses. A choice of the page stands in place of what is not set.

import { readParts, writeParts } from "../../base/parts";
import type { Settings } from "../../state/view/settings.svelte";
import type { Goal, MetricQuery } from "./answer";
import { type Brush, readBrushes, writeBrushes } from "./brushes";
import { metricId, readMetricId } from "./columns";
import { SCALE_KINDS, type ScaleKind } from "./scales";

export const BRUSH = "hparams.brush";
export const ROWS = "hparams.rows";
const METRICS = "hparams.metrics";
const MAIN = "hparams.metric";
export const GOALS = "hparams.goals";
const COLOR = "hparams.color";
const VIEW = "hparams.view";
export const AXES = "hparams.axes";
export const HIDDEN = "hparams.hidden";
export const FLIPPED = "hparams.flipped";
export const SCALES = "hparams.scales";
export const SORT = "hparams.sort";
export const COLUMNS = "hparams.columns";
export const PINNED = "hparams.pinned";
const BARS = "hparams.bars";
const GROUP = "hparams.group";
const AGGREGATE = "hparams.aggregate";
export const PARETO = "hparams.pareto";
export const MAP = "hparams.map";
export const SCATTER = "hparams.scatter";
export const MATRIX = "hparams.matrix";
const EFFECT = "hparams.effect";
const BASELINE = "hparams.effect_baseline";
const BEST = "hparams.best";
const COMPARED = "hparams.compared";

const readList = (settings: Settings, name: string): readonly string[] => {
  const option = settings.option(name);
  return option === "" ? [] : readParts(option);
};
const writeList = (settings: Settings, name: string, list: readonly string[]): void =>
  settings.setOption(name, list.length > 0 ? writeParts(list) : "");

function toggleIn(settings: Settings, name: string, entry: string): void {
  const list = readList(settings, name);
  writeList(settings, name, list.includes(entry) ? list.filter((each) => each !== entry) : [...list, entry]);
}

export const readBrushOption = (settings: Settings): readonly Brush[] => readBrushes(settings.option(BRUSH));
export const setBrushOption = (settings: Settings, brushes: readonly Brush[]): void =>
  settings.setOption(BRUSH, writeBrushes(brushes));

/** Runs of the selected rows. */
export const readRows = (settings: Settings): readonly string[] => readList(settings, ROWS);
export const setRows = (settings: Settings, runs: readonly string[]): void => writeList(settings, ROWS, runs);

/** Null: the server chooses. */
export function readMetrics(settings: Settings): readonly MetricQuery[] | null {
  const metrics = readList(settings, METRICS).map(readMetricId);
  return metrics.length > 0 ? metrics.filter((metric) => metric !== null) : null;
}
export const setMetrics = (settings: Settings, metrics: readonly MetricQuery[] | null): void =>
  writeList(settings, METRICS, metrics?.map(metricId) ?? []);

export const mainMetric = (settings: Settings): string => settings.option(MAIN);
export const setMainMetric = (settings: Settings, id: string): void => settings.setOption(MAIN, id);

/** Only those that the user changed. */
export function readGoals(settings: Settings): ReadonlyMap<string, Goal> {
  const goals = new Map<string, Goal>();
  for (const entry of readList(settings, GOALS)) {
    const goal = entry.slice(0, 3);
    if (goal === "min" || goal === "max") goals.set(entry.slice(3), goal);
  }
  return goals;
}
export const setGoal = (settings: Settings, id: string, goal: Goal): void =>
  writeList(
    settings,
    GOALS,
    [...new Map(readGoals(settings)).set(id, goal)].map(([each, its]) => `${its}${each}`),
  );

/** "": the main metric; "none": one colour. */
export const colorOption = (settings: Settings): string => settings.option(COLOR);
export const setColorOption = (settings: Settings, id: string): void => settings.setOption(COLOR, id);

export const VIEWS = [
  { value: "", label: "Overview", hint: "Importance, Pareto front and map beside the lines" },
  { value: "matrix", label: "Scatter matrix", hint: "Every metric against every column" },
  { value: "scatter", label: "Scatter", hint: "One large scatter of any two columns" },
  { value: "slices", label: "Slices", hint: "The metric against each hyperparameter" },
  { value: "effect", label: "Effect", hint: "What one setting changes, with an interval" },
  { value: "best", label: "Best so far", hint: "The best value over runs and over time" },
  { value: "compare", label: "Compare", hint: "Selected rows side by side" },
] as const;
export type PageView = (typeof VIEWS)[number]["value"];
export const shownView = (settings: Settings): PageView =>
  VIEWS.find(({ value }) => value === settings.option(VIEW))?.value ?? "";
export const setView = (settings: Settings, view: PageView): void => settings.setOption(VIEW, view);

/** The axes that the user moved, in order; others follow in the table's order. */
export const axisOrder = (settings: Settings): readonly string[] => readList(settings, AXES);
export const setAxisOrder = (settings: Settings, ids: readonly string[]): void => writeList(settings, AXES, ids);
/** Ids that are not in their usual state: shown ones hidden, constant ones shown. */
export const toggledAxes = (settings: Settings): readonly string[] => readList(settings, HIDDEN);
export const toggleAxis = (settings: Settings, id: string): void => toggleIn(settings, HIDDEN, id);
export const flippedAxes = (settings: Settings): readonly string[] => readList(settings, FLIPPED);
export const flipAxis = (settings: Settings, id: string): void => toggleIn(settings, FLIPPED, id);

const SCALE_LETTERS = new Map(SCALE_KINDS.map((kind) => [kind[0] as string, kind]));

/** Only those that the user changed. */
export function readScales(settings: Settings): ReadonlyMap<string, ScaleKind> {
  const scales = new Map<string, ScaleKind>();
  for (const entry of readList(settings, SCALES)) {
    const kind = SCALE_LETTERS.get(entry[0] ?? "");
    if (kind) scales.set(entry.slice(1), kind);
  }
  return scales;
}
export function setScale(settings: Settings, id: string, kind: ScaleKind | null): void {
  const scales = new Map(readScales(settings));
  if (kind) scales.set(id, kind);
  else scales.delete(id);
  writeList(
    settings,
    SCALES,
    [...scales].map(([each, its]) => `${its[0] ?? ""}${each}`),
  );
}

export interface SortKey {
  /** Id of a column, or "name". */
  readonly column: string;
  readonly isDescending: boolean;
}
export const readSort = (settings: Settings): readonly SortKey[] =>
  readList(settings, SORT).map((key) => ({ column: key.slice(1), isDescending: key.startsWith("-") }));
export const setSort = (settings: Settings, keys: readonly SortKey[]): void =>
  writeList(
    settings,
    SORT,
    keys.map(({ column, isDescending }) => `${isDescending ? "-" : "+"}${column}`),
  );

/** Columns of the table; empty: chosen by the page. */
export const readColumns = (settings: Settings): readonly string[] => readList(settings, COLUMNS);
export const setColumns = (settings: Settings, ids: readonly string[]): void => writeList(settings, COLUMNS, ids);
export const readPinned = (settings: Settings): readonly string[] => readList(settings, PINNED);
export const togglePinned = (settings: Settings, id: string): void => toggleIn(settings, PINNED, id);

export const BAR_KINDS = ["", "bar", "color"] as const;
export type BarKind = (typeof BAR_KINDS)[number];
/** What is drawn behind numbers. */
export const barKind = (settings: Settings): BarKind =>
  BAR_KINDS.find((kind) => kind === settings.option(BARS, "bar")) ?? "";
export const setBarKind = (settings: Settings, kind: BarKind): void => settings.setOption(BARS, kind || "off", "bar");

/** "": no groups; "declared", "config" (equal settings but for the seed), or the id of a column. */
export const groupOption = (settings: Settings): string => settings.option(GROUP);
export const setGroupOption = (settings: Settings, by: string): void => settings.setOption(GROUP, by);

export const AGGREGATES = ["mean", "median", "min", "max", "stderr"] as const;
export type Aggregate = (typeof AGGREGATES)[number];
export const aggregateOption = (settings: Settings): Aggregate =>
  AGGREGATES.find((each) => each === settings.option(AGGREGATE)) ?? "mean";
export const setAggregate = (settings: Settings, aggregate: Aggregate): void =>
  settings.setOption(AGGREGATE, aggregate, "mean");

/** Ids of metrics: the vertical axis, the horizontal one, then further ones of the front. */
export const paretoMetrics = (settings: Settings): readonly string[] => readList(settings, PARETO);
export const setParetoMetrics = (settings: Settings, ids: readonly string[]): void => writeList(settings, PARETO, ids);

/** Ids of the settings of the map: vertical, horizontal. */
export const mapColumns = (settings: Settings): readonly string[] => readList(settings, MAP);
export function showMap(settings: Settings, vertical: string, horizontal: string): void {
  writeList(settings, MAP, [vertical, horizontal]);
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
export function showEffect(settings: Settings, id: string): void {
  setEffectColumn(settings, id);
  setView(settings, "effect");
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
