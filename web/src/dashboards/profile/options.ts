// What the user sets in Profile, stored in the address: which profile and view of it, and of the trace the visible
// time, the selection, ranges, marks, search, colours and tracks. A choice of the page stands in place of what is not
// set.

import { readParts, writeParts } from "../../base/parts";
import type { Settings } from "../../state/view/settings.svelte";
import type { Sort } from "../table_sort";
import type { LoggedSession, SearchIn, SearchMode, SumsBy } from "./answer";
import type { Steps } from "./compare/steps";

const SESSION = "profile.session";
const VIEW = "profile.view";
const STEP = "profile.step";
const TIME = "profile.time";
const EVENT = "profile.event";
const RANGE = "profile.range";
const SECOND = "profile.against";
const MARKS = "profile.marks";
const COLOR = "profile.color";
const ARROWS = "profile.arrows";
const GAPS = "profile.gaps";
const SEARCH = "profile.search";
const SEARCH_IN = "profile.in";
const MODE = "profile.mode";
const SUMS = "profile.sums";
const CLOSED = "profile.closed";
const OPENED = "profile.opened";
const PINNED = "profile.pinned";
const HIDDEN = "profile.hidden";
const ORDER = "profile.order";
const TRACKS = "profile.tracks";
const PANEL = "profile.panel";
const SIDE = "profile.side";
const OPS = "profile.ops";
const OPS_ON = "profile.on";
const OPS_AS = "profile.as";
const OPS_IDLE = "profile.idle";
const KERNELS = "profile.kernels";
const FILTER = "profile.filter";
const SORT = "profile.sort";
const MEMORY = "profile.memory";
const CURVE = "profile.curve";
const MOMENT = "profile.moment";
const AXIS = "profile.axis";
const TREE = "profile.tree";

const readList = (settings: Settings, name: string): readonly string[] => {
  const option = settings.option(name);
  return option === "" ? [] : readParts(option);
};
const writeList = (settings: Settings, name: string, list: readonly string[]): void =>
  settings.setOption(name, list.length > 0 ? writeParts(list) : "");

/** Null: the page chooses. */
export function sessionOption(settings: Settings): LoggedSession | null {
  const [run, session] = readList(settings, SESSION);
  return run === undefined || session === undefined ? null : { run, session };
}

const BEFORE = "profile.before";
/** The profile that the shown one is compared with. Null: the page chooses. */
export function beforeOption(settings: Settings): LoggedSession | null {
  const [run, session] = readList(settings, BEFORE);
  return run === undefined || session === undefined ? null : { run, session };
}
export function setBeforeOption(settings: Settings, { run, session }: LoggedSession): void {
  writeList(settings, BEFORE, [run, session]);
  settings.setOption(COMPARED_STEPS, "");
}

const COMPARED_STEPS = "profile.steps";
/** Null: the page chooses. */
export function comparedStepsOption(settings: Settings): Steps | null {
  const [before, now] = readList(settings, COMPARED_STEPS).map((text) =>
    /^-?\d{1,15}$/.test(text) ? Number(text) : null,
  );
  return before === undefined || now === undefined ? null : { before, now };
}
export const setComparedSteps = (settings: Settings, { before, now }: Steps): void =>
  writeList(settings, COMPARED_STEPS, [String(before ?? ""), String(now ?? "")]);

/** Moments and events of one profile mean nothing in another. Names of tracks do. */
const OF_ONE_PROFILE = [STEP, TIME, EVENT, RANGE, SECOND, MARKS, CURVE, MOMENT];

/** The options of a view that shows the trace of this profile, at a step if there is one. */
export function optionsAt(
  options: ReadonlyMap<string, string>,
  { run, session }: LoggedSession,
  step: number | null,
): Map<string, string> {
  const next = new Map([...options].filter(([name]) => !OF_ONE_PROFILE.includes(name)));
  next.set(SESSION, writeParts([run, session]));
  if (step !== null) next.set(STEP, String(step));
  next.set(VIEW, "trace");
  return next;
}

export function setSession(settings: Settings, session: LoggedSession | null): void {
  writeList(settings, SESSION, session ? [session.run, session.session] : []);
  for (const name of [...OF_ONE_PROFILE, COMPARED_STEPS]) settings.setOption(name, "");
}

/** The view of the profile; "": the page chooses. */
export const viewOption = (settings: Settings): string => settings.option(VIEW);
export const setViewOption = (settings: Settings, view: string): void => settings.setOption(VIEW, view);

/** Whether the address says what to show of a trace. */
export const isOfTrace = (settings: Settings): boolean =>
  [...OF_ONE_PROFILE, SEARCH].some((name) => settings.option(name) !== "");

/** The step of the training that the trace is opened at; the visible time takes its place. */
export function stepOption(settings: Settings): number | null {
  const text = settings.option(STEP);
  return /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}
export const clearStep = (settings: Settings): void => settings.setOption(STEP, "");

/** A range of time in picoseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}
function readSpan(settings: Settings, name: string): Span | null {
  const [from, to] = readList(settings, name).map(Number);
  if (from === undefined || to === undefined || !Number.isFinite(from) || !Number.isFinite(to) || from >= to)
    return null;
  return { from, to };
}
const writeSpan = (settings: Settings, name: string, span: Span | null): void =>
  writeList(settings, name, span ? [writeTime(span.from), writeTime(span.to)] : []);
/** Whole picoseconds: an address with fewer digits would open a neighbouring view. */
const writeTime = (ps: number): string => String(Math.round(ps));

/** Null: all of it. */
export const timeOption = (settings: Settings): Span | null => readSpan(settings, TIME);
export const setTimeOption = (settings: Settings, span: Span | null): void => writeSpan(settings, TIME, span);
export const rangeOption = (settings: Settings): Span | null => readSpan(settings, RANGE);
export const setRangeOption = (settings: Settings, span: Span | null): void => writeSpan(settings, RANGE, span);
/** The range that the first is compared with. */
export const secondOption = (settings: Settings): Span | null => readSpan(settings, SECOND);
export const setSecondOption = (settings: Settings, span: Span | null): void => writeSpan(settings, SECOND, span);

export function eventOption(settings: Settings): number | null {
  const text = settings.option(EVENT);
  return /^\d{1,10}$/.test(text) ? Number(text) : null;
}
export const setEventOption = (settings: Settings, event: number | null): void =>
  settings.setOption(EVENT, event === null ? "" : String(event));

export const marksOption = (settings: Settings): readonly number[] =>
  readList(settings, MARKS)
    .map(Number)
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b);
export const setMarksOption = (settings: Settings, marks: readonly number[]): void =>
  writeList(settings, MARKS, marks.map(writeTime));

export const COLORINGS = [
  { value: "category", label: "Category", hint: "By what an event does: input, operation, launch, kernel, copy …" },
  { value: "name", label: "Name", hint: "Equal names have equal colours, in every profile" },
  { value: "step", label: "Step", hint: "By the step of the training" },
  { value: "module", label: "Module", hint: "By the module of the model around it" },
  { value: "stream", label: "Stream", hint: "By thread or stream" },
] as const;
export type ColorBy = (typeof COLORINGS)[number]["value"];
export const colorOption = (settings: Settings): ColorBy =>
  COLORINGS.find(({ value }) => value === settings.option(COLOR))?.value ?? "category";
export const setColorOption = (settings: Settings, by: ColorBy): void => settings.setOption(COLOR, by, "category");

export const ARROW_CHOICES = [
  { value: "selected", label: "Selected", hint: "Arrows from and to the selected event" },
  { value: "all", label: "All", hint: "All arrows: launch to kernel, forward to backward" },
] as const;
export type Arrows = (typeof ARROW_CHOICES)[number]["value"];
export const arrowsOption = (settings: Settings): Arrows => (settings.option(ARROWS) === "all" ? "all" : "selected");
export const setArrowsOption = (settings: Settings, arrows: Arrows): void =>
  settings.setOption(ARROWS, arrows, "selected");

/** In picoseconds. */
export const GAP_CHOICES = [10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000] as const;
const USUAL_GAP = 100_000_000;
/** Idle time of a device is named from this length on; null: never. */
export function gapOption(settings: Settings): number | null {
  const text = settings.option(GAPS);
  if (text === "off") return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : USUAL_GAP;
}
export const setGapOption = (settings: Settings, ps: number | null): void =>
  settings.setOption(GAPS, ps === null ? "off" : String(ps), String(USUAL_GAP));

export const searchText = (settings: Settings): string => settings.option(SEARCH);
export const setSearchText = (settings: Settings, text: string): void => settings.setOption(SEARCH, text);
export const SEARCH_PLACES = [
  { value: "all", label: "Everywhere" },
  { value: "names", label: "Names" },
  { value: "arguments", label: "Arguments" },
] as const satisfies readonly { value: SearchIn; label: string }[];
export const searchPlace = (settings: Settings): SearchIn =>
  SEARCH_PLACES.find(({ value }) => value === settings.option(SEARCH_IN))?.value ?? "all";
export const setSearchPlace = (settings: Settings, place: SearchIn): void =>
  settings.setOption(SEARCH_IN, place, "all");
export const searchMode = (settings: Settings): SearchMode =>
  settings.option(MODE) === "pattern" ? "pattern" : "text";
export const setSearchMode = (settings: Settings, mode: SearchMode): void => settings.setOption(MODE, mode, "text");

export const SUMS_BY = [
  { value: "name", label: "Name" },
  { value: "category", label: "Category" },
  { value: "track", label: "Track" },
] as const satisfies readonly { value: SumsBy; label: string }[];
export type ShownSums = (typeof SUMS_BY)[number]["value"];
export const sumsOption = (settings: Settings): ShownSums =>
  SUMS_BY.find(({ value }) => value === settings.option(SUMS))?.value ?? "name";
export const setSumsOption = (settings: Settings, by: ShownSums): void => settings.setOption(SUMS, by, "name");

/** Lists of keys of tracks and groups of tracks. */
const TRACK_LISTS = { collapsed: CLOSED, opened: OPENED, pinned: PINNED, hidden: HIDDEN, order: ORDER } as const;
export type TrackList = keyof typeof TRACK_LISTS;
export const trackKeys = (settings: Settings, list: TrackList): readonly string[] =>
  readList(settings, TRACK_LISTS[list]);
export const setTrackKeys = (settings: Settings, list: TrackList, keys: readonly string[]): void =>
  writeList(settings, TRACK_LISTS[list], keys);

export const trackFilterOption = (settings: Settings): string => settings.option(TRACKS);
export const setTrackFilter = (settings: Settings, text: string): void => settings.setOption(TRACKS, text);

/** Height of the panels below the timeline, in pixels. */
const USUAL_PANEL_PX = 228;
export function panelPx(settings: Settings): number {
  const text = settings.option(PANEL);
  return /^\d{2,4}$/.test(text) ? Number(text) : USUAL_PANEL_PX;
}
export const setPanelPx = (settings: Settings, px: number): void =>
  settings.setOption(PANEL, String(Math.round(px)), String(USUAL_PANEL_PX));

/** What stands beside the sums while no event is selected. */
export const SIDES = [
  { value: "gaps", label: "Idle", hint: "When devices had nothing to do, and what the host did meanwhile" },
  { value: "path", label: "Critical path", hint: "What the end of the time waited for, back to its beginning" },
] as const;
export type Side = (typeof SIDES)[number]["value"];
/** Of a trace without a device: nothing can be idle. */
export const NO_DEVICE_SIDES = [{ ...SIDES[0], label: "None", hint: "Nothing" }, SIDES[1]] as const;
export const sideOption = (settings: Settings): Side => (settings.option(SIDE) === "path" ? "path" : "gaps");
export const setSideOption = (settings: Settings, side: Side): void => settings.setOption(SIDE, side, "gaps");

/** Which tracks the sums are of. Traces without a device have no choice. */
export const SUMS_PLACES = [
  { value: "device", label: "On devices" },
  { value: "host", label: "On the host" },
  { value: "all", label: "On all tracks" },
] as const;
const PLACE = "profile.place";
export const placeOption = (settings: Settings): string =>
  SUMS_PLACES.find(({ value }) => value === settings.option(PLACE))?.value ?? "device";
export const setPlaceOption = (settings: Settings, place: string): void => settings.setOption(PLACE, place, "device");

// The tables of ops and kernels.
export const OPS_BY = [
  { value: "name", label: "Name" },
  { value: "type", label: "Type" },
  { value: "module", label: "Module" },
  { value: "shapes", label: "Shapes" },
  { value: "category", label: "Category" },
] as const;
export type OpsBy = (typeof OPS_BY)[number]["value"];
export const opsBy = (settings: Settings): OpsBy =>
  OPS_BY.find(({ value }) => value === settings.option(OPS))?.value ?? "name";
export const setOpsBy = (settings: Settings, by: OpsBy): void => settings.setOption(OPS, by, "name");

export const OPS_PLACES = [
  { value: "", label: "All" },
  { value: "device", label: "Device" },
  { value: "host", label: "Host" },
] as const;
export type OpsPlace = (typeof OPS_PLACES)[number]["value"];
export const opsPlace = (settings: Settings): OpsPlace =>
  OPS_PLACES.find(({ value }) => value === settings.option(OPS_ON))?.value ?? "";
export const setOpsPlace = (settings: Settings, place: OpsPlace): void => settings.setOption(OPS_ON, place);

export const opsWithIdle = (settings: Settings): boolean => settings.option(OPS_IDLE) === "on";
export const setOpsWithIdle = (settings: Settings, isOn: boolean): void =>
  settings.setOption(OPS_IDLE, isOn ? "on" : "");

export const KERNELS_SHOWN = [
  { value: "", label: "All" },
  {
    value: "short",
    label: "Short",
    hint: "Under 5 µs on average, about what a launch takes; those that the device idled longest before come first",
  },
] as const;
export type KernelsShown = (typeof KERNELS_SHOWN)[number]["value"];
export const kernelsOption = (settings: Settings): KernelsShown =>
  KERNELS_SHOWN.find(({ value }) => value === settings.option(KERNELS))?.value ?? "";
export const setKernelsOption = (settings: Settings, shown: KernelsShown): void => settings.setOption(KERNELS, shown);

export const OPS_PICTURES = [
  { value: "table", label: "Table" },
  { value: "bars", label: "Bars", hint: "The ops with the most time" },
  { value: "tree", label: "Icicle", hint: "Time under modules, name scopes or functions" },
  { value: "roofline", label: "Roofline", hint: "What ops compute and move, against what the device can" },
] as const;
export type OpsPicture = (typeof OPS_PICTURES)[number]["value"];
export const opsPicture = (settings: Settings): OpsPicture =>
  OPS_PICTURES.find(({ value }) => value === settings.option(OPS_AS))?.value ?? "table";
export const setOpsPicture = (settings: Settings, picture: OpsPicture): void =>
  settings.setOption(OPS_AS, picture, "table");

export const tableFilter = (settings: Settings): string => settings.option(FILTER);
export const setTableFilter = (settings: Settings, text: string): void => settings.setOption(FILTER, text);
/** Null: the largest time first. */
export function tableSort(settings: Settings): Sort | null {
  const [column, direction] = readList(settings, SORT);
  return column === undefined ? null : { column, isDescending: direction === "down" };
}
export const setTableSort = (settings: Settings, sort: Sort | null): void =>
  writeList(settings, SORT, sort ? [sort.column, sort.isDescending ? "down" : "up"] : []);

// Memory.
export const MEMORY_PARTS = [
  { value: "alive", label: "Alive", hint: "What was alive at the marked moment" },
  {
    value: "tree",
    label: "By stack or module",
    hint: "What was alive, under the functions or modules that asked for it",
  },
  { value: "blocks", label: "Allocations", hint: "The largest allocations, with their lifetime" },
  { value: "suspects", label: "Leak suspects", hint: "What every step adds to" },
  { value: "buffers", label: "XLA buffers", hint: "What programs of XLA keep where, as the compiler laid it out" },
] as const;
export type MemoryPart = (typeof MEMORY_PARTS)[number]["value"];
export const memoryPart = (settings: Settings): MemoryPart =>
  MEMORY_PARTS.find(({ value }) => value === settings.option(MEMORY))?.value ?? "alive";
export const setMemoryPart = (settings: Settings, part: MemoryPart): void => settings.setOption(MEMORY, part, "alive");

const wholeOption = (settings: Settings, name: string): number | null => {
  const text = settings.option(name);
  return /^\d{1,18}$/.test(text) ? Number(text) : null;
};
/** Null: that with the highest peak. */
export const curveOption = (settings: Settings): number | null => wholeOption(settings, CURVE);
/** A moment of another curve says nothing. */
export function setCurveOption(settings: Settings, curve: number): void {
  settings.setOption(CURVE, String(curve));
  settings.setOption(MOMENT, "");
}
/** Null: the peak. */
export const momentOption = (settings: Settings): number | null => wholeOption(settings, MOMENT);
export const setMomentOption = (settings: Settings, ps: number | null): void =>
  settings.setOption(MOMENT, ps === null ? "" : writeTime(Math.max(0, ps)));

export const AXES = [
  { value: "time", label: "Time" },
  { value: "order", label: "Changes", hint: "Every allocation as far from the next: long pauses take no room" },
] as const;
export type MemoryAxis = (typeof AXES)[number]["value"];
/** Null: the page chooses. */
export const axisOption = (settings: Settings): MemoryAxis | null =>
  AXES.find(({ value }) => value === settings.option(AXIS))?.value ?? null;
export const setAxisOption = (settings: Settings, axis: MemoryAxis): void => settings.setOption(AXIS, axis);

export const TREES_BY = [
  { value: "module", label: "Module", hint: "By the modules of the model" },
  { value: "scope", label: "Name scope", hint: "By the names of ops: scope/inner/op" },
  { value: "stack", label: "Stack", hint: "By the functions and ops around" },
  { value: "program", label: "Program", hint: "By program of XLA, category and instruction" },
] as const;
export type TreeBy = (typeof TREES_BY)[number]["value"];
/** Null: the page chooses. */
export const treeOption = (settings: Settings): TreeBy | null =>
  TREES_BY.find(({ value }) => value === settings.option(TREE))?.value ?? null;
export const setTreeOption = (settings: Settings, by: TreeBy): void => settings.setOption(TREE, by);
