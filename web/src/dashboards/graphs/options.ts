// What the user sets in Graphs, stored in the address: which graph, what is open, selected, searched for and coloured,
// and what it is compared with. A choice of the page stands in place of what is not set.

import { readParts, writeParts } from "../../base/parts";
import type { Settings } from "../../state/view/settings.svelte";
import type { Sort } from "../table_sort";
import type { StructureView } from "./answer";
import type { LoggedGraph } from "./graph_ref";

const GRAPH = "graphs.graph";
const AGAINST = "graphs.against";
const VIEW = "graphs.view";
const DEPTH = "graphs.depth";
export const OPEN = "graphs.open";
const SELECTED = "graphs.selected";
const ALSO = "graphs.also";
const TRACE = "graphs.trace";
const SEARCH = "graphs.search";
const COLOR = "graphs.color";
export const ONLY = "graphs.only";
const PLAIN = "graphs.plain";
const BACK = "graphs.back";
const OUT = "graphs.out";
const EACH = "graphs.each";
const CAMERA = "graphs.camera";
const FREE = "graphs.cameras";
const INFO = "graphs.info";
const QUERY = "graphs.query";
const SORT = "graphs.sort";

const readList = (settings: Settings, name: string): readonly string[] => {
  const option = settings.option(name);
  return option === "" ? [] : readParts(option);
};
const writeList = (settings: Settings, name: string, list: readonly string[]): void =>
  settings.setOption(name, list.length > 0 ? writeParts(list) : "");

export function toggleIn(list: readonly string[], entry: string): readonly string[] {
  return list.includes(entry) ? list.filter((each) => each !== entry) : [...list, entry];
}

function readGraph(settings: Settings, name: string): LoggedGraph | null {
  const [run, graph, step] = readList(settings, name);
  if (run === undefined || graph === undefined) return null;
  return { run, name: graph, step: step === undefined || !/^-?\d+$/.test(step) ? null : Number(step) };
}
function writeGraph(settings: Settings, name: string, graph: LoggedGraph | null): void {
  const step = graph?.step ?? null;
  writeList(settings, name, graph ? [graph.run, graph.name, ...(step === null ? [] : [String(step)])] : []);
}

/** Null: the page chooses. */
export const graphOption = (settings: Settings): LoggedGraph | null => readGraph(settings, GRAPH);
/** The graph that the shown one is compared with. */
export const againstOption = (settings: Settings): LoggedGraph | null => readGraph(settings, AGAINST);
export const setAgainst = (settings: Settings, graph: LoggedGraph | null): void => writeGraph(settings, AGAINST, graph);

const OF_ONE_GRAPH: readonly string[] = [DEPTH, OPEN, SELECTED, ALSO, TRACE, BACK, OUT, EACH, CAMERA];

/** What belongs to one graph is forgotten: ids mean nothing in another, except with `isKept`. */
export function setGraph(settings: Settings, graph: LoggedGraph | null, isKept = false): void {
  writeGraph(settings, GRAPH, graph);
  if (!isKept) for (const name of OF_ONE_GRAPH) settings.setOption(name, "");
}

/** The options of an address that shows a graph. */
export function optionsAt(options: ReadonlyMap<string, string>, { run, name }: LoggedGraph): Map<string, string> {
  const next = new Map([...options].filter(([option]) => option !== VIEW && !OF_ONE_GRAPH.includes(option)));
  return next.set(GRAPH, writeParts([run, name]));
}

export const VIEWS = [
  { value: "", label: "Graph", hint: "The graph, with groups that open" },
  { value: "split", label: "Split", hint: "Two graphs side by side" },
  { value: "table", label: "Table", hint: "All nodes in a table that can be filtered" },
] as const;
export type PageView = (typeof VIEWS)[number]["value"];
export const shownView = (settings: Settings): PageView =>
  VIEWS.find(({ value }) => value === settings.option(VIEW))?.value ?? "";
export const setView = (settings: Settings, view: PageView): void => settings.setOption(VIEW, view);

/** How many levels are open; null: as many as can be read at once. */
export function depthOption(settings: Settings): number | null {
  const text = settings.option(DEPTH);
  return /^\d{1,3}$/.test(text) ? Number(text) : null;
}
export const setDepth = (settings: Settings, depth: number | null): void =>
  settings.setOption(DEPTH, depth === null ? "" : String(depth));
/** Groups that are open, where the user opened or closed some by hand; null: those of the depth. */
export const openGroups = (settings: Settings): readonly string[] | null =>
  settings.option(OPEN) === "" ? null : readList(settings, OPEN).filter((id) => id !== "");
/** An empty list is kept too: all are closed. */
export const setOpenGroups = (settings: Settings, ids: readonly string[] | null): void =>
  settings.setOption(OPEN, ids === null ? "" : ids.length === 0 ? ";" : writeParts(ids));

export const selectedNode = (settings: Settings): string => settings.option(SELECTED);
/** Nodes that are selected with it. */
export const alsoSelectedNodes = (settings: Settings): readonly string[] => readList(settings, ALSO);
export const setAlsoSelected = (settings: Settings, ids: readonly string[]): void => writeList(settings, ALSO, ids);
export const setSelected = (settings: Settings, id: string): void => settings.setOption(SELECTED, id);

/** What is lit from the selected node. */
export type Trace = { readonly direction: "inputs" | "outputs" } | { readonly direction: "path"; readonly to: string };
export function traceOption(settings: Settings): Trace | null {
  const [direction, to] = readList(settings, TRACE);
  if (direction === "inputs" || direction === "outputs") return { direction };
  return direction === "path" && to !== undefined ? { direction, to } : null;
}
export function setTrace(settings: Settings, trace: Trace | null): void {
  writeList(settings, TRACE, trace ? [trace.direction, ...(trace.direction === "path" ? [trace.to] : [])] : []);
}

export const searchText = (settings: Settings): string => settings.option(SEARCH);
export const setSearch = (settings: Settings, text: string): void => settings.setOption(SEARCH, text);

/** As `colorId` in colors.ts writes it. */
export const colorOption = (settings: Settings): string => settings.option(COLOR);
export function setColor(settings: Settings, id: string): void {
  settings.setOption(ONLY, "");
  settings.setOption(COLOR, id);
}
/** Entries of the legend that are picked, or the two ends of a range of values: other nodes are dimmed. */
export const pickedEntries = (settings: Settings): readonly string[] => readList(settings, ONLY);
export const setPicked = (settings: Settings, entries: readonly string[]): void => writeList(settings, ONLY, entries);

export const FOLDINGS = [
  { name: "repeats", label: "Fold repeated blocks", hint: "Blocks of equal structure in a row are drawn once" },
  { name: "series", label: "Fold numbered series", hint: "Nodes whose names differ by a number are drawn once" },
  { name: "fold", label: "Fold constants and variables", hint: "They become small ports of the node that uses them" },
  {
    name: "aside",
    label: "Set busy nodes aside",
    hint: "What many nodes use is drawn beside the graph, without edges",
  },
] as const;
export type Folding = (typeof FOLDINGS)[number]["name"];
const unfolded = (settings: Settings): readonly string[] => readList(settings, PLAIN);
export const isFolding = (settings: Settings, name: Folding): boolean => !unfolded(settings).includes(name);
export const toggleFolding = (settings: Settings, name: Folding): void =>
  writeList(settings, PLAIN, toggleIn(unfolded(settings), name));

/** What decides the structure of the levels that the server sends. */
export function structureView(settings: Settings): StructureView {
  return {
    repeats: isFolding(settings, "repeats"),
    series: isFolding(settings, "series"),
    fold: isFolding(settings, "fold"),
    aside: isFolding(settings, "aside"),
    back: readList(settings, BACK),
    out: readList(settings, OUT),
    each: readList(settings, EACH),
  };
}
/** Draws a node aside, or in the graph again. */
export function setAside(settings: Settings, id: string, isAside: boolean): void {
  const [out, back] = [readList(settings, OUT), readList(settings, BACK)];
  const without = (list: readonly string[]): readonly string[] => list.filter((each) => each !== id);
  if (isAside) {
    writeList(settings, OUT, back.includes(id) ? without(out) : [...without(out), id]);
    writeList(settings, BACK, without(back));
  } else {
    writeList(settings, BACK, out.includes(id) ? without(back) : [...without(back), id]);
    writeList(settings, OUT, without(out));
  }
}
/** Shows the blocks of a repeat or series one by one, or folds them again. */
export const toggleEach = (settings: Settings, id: string): void =>
  writeList(settings, EACH, toggleIn(readList(settings, EACH), id));
export const shownEach = (settings: Settings): readonly string[] => readList(settings, EACH);

/** Of the graph pane: the place at its centre, and the zoom. Null: fitted. */
export interface CameraOption {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}
export function cameraOption(settings: Settings): CameraOption | null {
  const numbers = readList(settings, CAMERA).map(Number);
  const [x, y, zoom] = numbers;
  if (x === undefined || y === undefined || zoom === undefined || !numbers.every(Number.isFinite) || zoom <= 0)
    return null;
  return { x, y, zoom };
}
export function setCamera(settings: Settings, camera: CameraOption | null): void {
  const parts = camera && [camera.x.toFixed(0), camera.y.toFixed(0), camera.zoom.toPrecision(3)];
  writeList(settings, CAMERA, parts ?? []);
}

export const hasFreeCameras = (settings: Settings): boolean => settings.option(FREE) === "free";
export const setFreeCameras = (settings: Settings, isFree: boolean): void =>
  settings.setOption(FREE, isFree ? "free" : "");

/** Whether the panel with details is shown; where there is little room, it is not at first. */
export const infoOption = (settings: Settings, isNarrow: boolean): string =>
  settings.option(INFO) || (isNarrow ? "off" : "on");
export const setInfo = (settings: Settings, isOn: boolean, isNarrow: boolean): void =>
  settings.setOption(INFO, isOn ? "on" : "off", isNarrow ? "off" : "on");

export const tableQuery = (settings: Settings): string => settings.option(QUERY);
export const setTableQuery = (settings: Settings, text: string): void => settings.setOption(QUERY, text);
export function tableSort(settings: Settings): Sort | null {
  const text = settings.option(SORT);
  return text === "" ? null : { column: text.slice(1), isDescending: text.startsWith("-") };
}
export const setTableSort = (settings: Settings, sort: Sort | null): void =>
  settings.setOption(SORT, sort ? `${sort.isDescending ? "-" : "+"}${sort.column}` : "");
