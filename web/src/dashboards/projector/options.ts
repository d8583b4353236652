// What the user sets in the Projector, stored in the address: which embedding, how it is projected, what is coloured,
// searched for, selected, hidden and compared, and the camera. A choice of the page stands in place of what is not set.

import { readParts, writeParts } from "../../base/parts";
import type { Settings } from "../../state/view/settings.svelte";
import type { LoggedEmbedding, Metric, SearchMode } from "./answer";

const EMBEDDING = "projector.embedding";
const AGAINST = "projector.against";
const BY = "projector.by";
const AXES = "projector.axes";
const DIMENSIONS = "projector.dimensions";
const COLOR = "projector.color";
const OFF = "projector.off";
const RANGE = "projector.range";
const LABEL = "projector.label";
const SEARCH = "projector.search";
const MODE = "projector.mode";
const SELECTED = "projector.selected";
const HIDDEN = "projector.hidden";
const ISOLATED = "projector.isolated";
const POINT = "projector.point";
const METRIC = "projector.metric";
const COUNT = "projector.count";
const TAB = "projector.tab";
const DRAW = "projector.draw";
const TOOL = "projector.tool";
const PLAIN = "projector.plain";
const VIEW = "projector.view";
const CAMERA = "projector.camera";
const INFO = "projector.info";
const PANEL = "projector.panel";
const BESIDE = "projector.beside";

const readList = (settings: Settings, name: string): readonly string[] => {
  const option = settings.option(name);
  return option === "" ? [] : readParts(option);
};
const writeList = (settings: Settings, name: string, list: readonly string[]): void =>
  settings.setOption(name, list.length > 0 ? writeParts(list) : "");

function readEmbedding(settings: Settings, name: string): LoggedEmbedding | null {
  const [run, embedding, step] = readList(settings, name);
  if (run === undefined || embedding === undefined) return null;
  return { run, name: embedding, step: step === undefined || !/^-?\d+$/.test(step) ? null : Number(step) };
}
function writeEmbedding(settings: Settings, name: string, embedding: LoggedEmbedding | null): void {
  const step = embedding?.step ?? null;
  const parts = embedding && [embedding.run, embedding.name, ...(step === null ? [] : [String(step)])];
  writeList(settings, name, parts ?? []);
}

/** Null: the page chooses. Its step is the cursor's. */
export const embeddingOption = (settings: Settings): LoggedEmbedding | null => readEmbedding(settings, EMBEDDING);
/** Row numbers, columns and cameras of one embedding mean nothing in another. */
const OF_ONE_EMBEDDING: readonly string[] = [
  ...[BY, AXES, COLOR, OFF, RANGE, LABEL, SELECTED, HIDDEN, ISOLATED, POINT, CAMERA, AGAINST, BESIDE],
];
export function setEmbedding(settings: Settings, embedding: LoggedEmbedding | null): void {
  writeEmbedding(settings, EMBEDDING, embedding && { ...embedding, step: null });
  for (const name of OF_ONE_EMBEDDING) settings.setOption(name, "");
}

/** The options of an address that shows an embedding. */
export function optionsAt(options: ReadonlyMap<string, string>, { run, name }: LoggedEmbedding): Map<string, string> {
  const next = new Map([...options].filter(([option]) => option !== VIEW && !OF_ONE_EMBEDDING.includes(option)));
  return next.set(EMBEDDING, writeParts([run, name]));
}
/** What stands beside it in the split view: another embedding, or another step of the same. */
export const againstOption = (settings: Settings): LoggedEmbedding | null => readEmbedding(settings, AGAINST);
export const setAgainst = (settings: Settings, embedding: LoggedEmbedding | null): void =>
  writeEmbedding(settings, AGAINST, embedding);

/** The reduction that is shown, as reduction_text.ts writes it; "": the page's choice. */
export const reductionOption = (settings: Settings): string => settings.option(BY);
export const setReductionOption = (settings: Settings, text: string): void => settings.setOption(BY, text);

/** The components of PCA on the axes. */
export type Components = readonly [number, number, number];
export const FIRST_COMPONENTS: Components = [0, 1, 2];
export function componentsOption(settings: Settings): Components {
  const [x, y, z] = readList(settings, AXES).map(Number);
  const isOne = (at: number | undefined): at is number => at !== undefined && Number.isInteger(at) && at >= 0;
  return isOne(x) && isOne(y) && isOne(z) ? [x, y, z] : FIRST_COMPONENTS;
}
export const setComponents = (settings: Settings, components: Components): void =>
  settings.setOption(AXES, components.join(";"), FIRST_COMPONENTS.join(";"));

export type Dimensions = 2 | 3;
export const dimensionsOption = (settings: Settings): Dimensions => (settings.option(DIMENSIONS) === "3" ? 3 : 2);
export const setDimensionsOption = (settings: Settings, dimensions: Dimensions): void =>
  settings.setOption(DIMENSIONS, String(dimensions), "2");

/** "": the page's choice; "none", "clusters" and "moved" are not columns, which are written with a colon before. */
export const colorOption = (settings: Settings): string => settings.option(COLOR);
export function setColorOption(settings: Settings, id: string): void {
  settings.setOption(OFF, "");
  settings.setOption(RANGE, "");
  settings.setOption(COLOR, id);
}
/** Categories that are filtered out: they stay as grey dots. */
export const levelsOff = (settings: Settings): readonly string[] => readList(settings, OFF);
export const setLevelsOff = (settings: Settings, levels: readonly string[]): void => writeList(settings, OFF, levels);
/** Of the gradient: points outside stay as grey dots. */
export function rangeOption(settings: Settings): readonly [number, number] | null {
  const [low, high] = readList(settings, RANGE).map(Number);
  return low !== undefined && high !== undefined && Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null;
}
export const setRange = (settings: Settings, range: readonly [number, number] | null): void =>
  writeList(settings, RANGE, range?.map(String) ?? []);

/** The column that names points; "": the page's choice. */
export const labelOption = (settings: Settings): string => settings.option(LABEL);
export const setLabelOption = (settings: Settings, column: string): void => settings.setOption(LABEL, column);

export const searchText = (settings: Settings): string => settings.option(SEARCH);
export const setSearchText = (settings: Settings, text: string): void => settings.setOption(SEARCH, text);
export const SEARCH_MODES = [
  { value: "text", label: "Text", hint: "Points with this text in any column" },
  { value: "pattern", label: "Pattern", hint: "Points with a value that matches this regular expression" },
  { value: "exact", label: "Exact", hint: "Points with exactly this value" },
] as const satisfies readonly { value: SearchMode; label: string; hint: string }[];
export const searchMode = (settings: Settings): SearchMode =>
  SEARCH_MODES.find(({ value }) => value === settings.option(MODE))?.value ?? "text";
export const setSearchMode = (settings: Settings, mode: SearchMode): void => settings.setOption(MODE, mode, "text");

// Sets of rows, as row_sets.ts writes them.
export const selectedOption = (settings: Settings): string => settings.option(SELECTED);
export const setSelectedOption = (settings: Settings, rows: string): void => settings.setOption(SELECTED, rows);
export const hiddenOption = (settings: Settings): string => settings.option(HIDDEN);
export const setHiddenOption = (settings: Settings, rows: string): void => settings.setOption(HIDDEN, rows);
export const isolatedOption = (settings: Settings): string => settings.option(ISOLATED);
export const setIsolatedOption = (settings: Settings, rows: string): void => settings.setOption(ISOLATED, rows);

/** The row in the inspector; null: none. */
export function pointOption(settings: Settings): number | null {
  const text = settings.option(POINT);
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
export const setPointOption = (settings: Settings, row: number | null): void =>
  settings.setOption(POINT, row === null ? "" : String(row));

export const metricOption = (settings: Settings): Metric =>
  settings.option(METRIC) === "euclidean" ? "euclidean" : "cosine";
export const setMetricOption = (settings: Settings, metric: Metric): void =>
  settings.setOption(METRIC, metric, "cosine");

const USUAL_NEIGHBORS = 10;
export const MAX_NEIGHBORS = 1_000;
/** How many neighbours the inspector lists. */
export function neighborsOption(settings: Settings): number {
  const text = settings.option(COUNT);
  return /^\d{1,4}$/.test(text) ? Math.min(Math.max(Number(text), 5), MAX_NEIGHBORS) : USUAL_NEIGHBORS;
}
export const setNeighborsOption = (settings: Settings, count: number): void =>
  settings.setOption(COUNT, String(count), String(USUAL_NEIGHBORS));

export const TABS = [
  { value: "point", label: "Point" },
  { value: "matches", label: "Matches" },
  { value: "moved", label: "Moved" },
] as const;
export type Tab = (typeof TABS)[number]["value"];
export const shownTab = (settings: Settings): Tab =>
  TABS.find(({ value }) => value === settings.option(TAB))?.value ?? "point";
export const setTab = (settings: Settings, tab: Tab): void => settings.setOption(TAB, tab, "point");

export const DRAWINGS = [
  { value: "dots", label: "Dots", hint: "Every point as a dot" },
  { value: "pictures", label: "Pictures", hint: "Every point as its picture" },
  { value: "text", label: "Text", hint: "Every point as its label" },
] as const;
export type Drawing = (typeof DRAWINGS)[number]["value"];
export const drawingOption = (settings: Settings): Drawing =>
  DRAWINGS.find(({ value }) => value === settings.option(DRAW))?.value ?? "dots";
export const setDrawing = (settings: Settings, drawing: Drawing): void => settings.setOption(DRAW, drawing, "dots");

const TOOLS = ["point", "lasso", "box", "sphere"] as const;
export type Tool = (typeof TOOLS)[number];
export const toolOption = (settings: Settings): Tool => TOOLS.find((tool) => tool === settings.option(TOOL)) ?? "point";
export const setTool = (settings: Settings, tool: Tool): void => settings.setOption(TOOL, tool, "point");

/** What is drawn beside the points, unless the user turned it off. */
export type Extra = "names" | "contours" | "sequences";
export const hasExtra = (settings: Settings, name: Extra): boolean => !readList(settings, PLAIN).includes(name);
export function toggleExtra(settings: Settings, name: Extra): void {
  const off = readList(settings, PLAIN);
  writeList(settings, PLAIN, off.includes(name) ? off.filter((each) => each !== name) : [...off, name]);
}

const VIEWS = ["", "split", "table"] as const;
export type PageView = (typeof VIEWS)[number];
export const shownView = (settings: Settings): PageView => VIEWS.find((view) => view === settings.option(VIEW)) ?? "";
export const setView = (settings: Settings, view: PageView): void => settings.setOption(VIEW, view);

/** As the scene writes it; "": everything in view. */
export const cameraOption = (settings: Settings): string => settings.option(CAMERA);
export const setCameraOption = (settings: Settings, camera: string): void => settings.setOption(CAMERA, camera);

/** Whether the inspector and the panel on the left are shown; where there is little room, they are not at first. */
const isShown = (settings: Settings, name: string, isNarrow: boolean): boolean =>
  (settings.option(name) || (isNarrow ? "off" : "on")) === "on";
const setShown = (settings: Settings, name: string, isOn: boolean, isNarrow: boolean): void =>
  settings.setOption(name, isOn ? "on" : "off", isNarrow ? "off" : "on");
export const hasInspector = (settings: Settings, isNarrow: boolean): boolean => isShown(settings, INFO, isNarrow);
export const setInspector = (settings: Settings, isOn: boolean, isNarrow: boolean): void =>
  setShown(settings, INFO, isOn, isNarrow);
export const hasPanel = (settings: Settings, isNarrow: boolean): boolean => isShown(settings, PANEL, isNarrow);
export const setPanel = (settings: Settings, isOn: boolean, isNarrow: boolean): void =>
  setShown(settings, PANEL, isOn, isNarrow);

/** The projection on the left of the split view, as recipe.ts writes it; "": the page's choice. */
export const besideOption = (settings: Settings): string => settings.option(BESIDE);
export const setBesideOption = (settings: Settings, text: string): void => settings.setOption(BESIDE, text);

/** What an embedding is, and how the page is laid out, is not part of a view of its points. */
const NOT_KEPT: ReadonlySet<string> = new Set([EMBEDDING, AGAINST, BESIDE, VIEW, INFO, PANEL, TAB]);
const isKept = (name: string): boolean => name.startsWith("projector.") && !NOT_KEPT.has(name);

interface RowSets {
  readonly selected: string;
  readonly hidden: string;
  readonly isolated: string;
}
/** All that a bookmark keeps. Sets of rows are given: the address has them a moment later than the page. */
export function keptOptions(settings: Settings, { selected, hidden, isolated }: RowSets): Record<string, string> {
  const sets = Object.entries({ [SELECTED]: selected, [HIDDEN]: hidden, [ISOLATED]: isolated });
  const others = [...settings.options].filter(([name]) => isKept(name) && !sets.some(([set]) => set === name));
  return Object.fromEntries([...others, ...sets.filter(([, rows]) => rows !== "")]);
}
export function restoreOptions(settings: Settings, kept: Readonly<Record<string, string>>): void {
  const options = new Map([...settings.options].filter(([name]) => !isKept(name)));
  for (const [name, value] of Object.entries(kept))
    if (isKept(name) && typeof value === "string") options.set(name, value);
  settings.set({ options });
}
