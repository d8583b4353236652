// The whole view as text after the `#` of the address, and back. Pure: frame/address.svelte.ts reads and writes the
// address.

import { escapePart, readParts, splitParts, writeParts } from "../../base/parts";
import { KEY_LENGTH, type RunKey, runKey } from "../runs/run_key";
import { readMoment, writeMoment } from "../cursor/moment";
import type { Selection } from "../runs/selection";
import {
  type CardView,
  type ColorBy,
  DEFAULT_VIEW,
  type GroupBy,
  KEPT_OPTIONS,
  type Moment,
  type Panel,
  type Range,
  RUN_INFOS,
  RUN_STATS,
  type RunColumn,
  type RunSort,
  type ScaleKind,
  type Smoothing,
  SMOOTHING_MAX,
  TIME_AXES,
  type View,
} from "./view";

/** The names of selected runs; a run without one is written as its key. */
export type NameOf = (key: RunKey) => string | undefined;

/** How one field is written: as any number of texts under one key. No text means the default. */
interface Field<T> {
  readonly key: string;
  readonly write: (value: T, nameOf: NameOf) => readonly string[];
  /** Undefined if the texts are invalid. */
  readonly read: (texts: readonly string[]) => T | undefined;
}

// With more characters of names than this, runs are written as five-character keys.
const NAMES_BUDGET = 240;
const SCALES: readonly ScaleKind[] = ["linear", "log", "symlog"];

function text(key: string, fallback = ""): Field<string> {
  return { key, write: (value) => (value === fallback ? [] : [value]), read: ([value]) => value };
}

function choice<T extends string>(key: string, options: readonly T[], fallback: T): Field<T> {
  return {
    key,
    write: (value) => (value === fallback ? [] : [value]),
    read: ([value]) => options.find((option) => option === value),
  };
}

function flag(key: string, fallback: boolean): Field<boolean> {
  return {
    key,
    write: (value) => (value === fallback ? [] : [value ? "1" : "0"]),
    read: ([value]) => (value === "1" ? true : value === "0" ? false : undefined),
  };
}

function list<T>(key: string, write: (entry: T) => string, read: (text: string) => T | undefined): Field<readonly T[]> {
  return {
    key,
    write: (entries) => entries.map(write),
    read: (texts) => texts.map(read).filter((entry) => entry !== undefined),
  };
}

const same = (value: string): string => value;

function set(key: string): Field<ReadonlySet<string>> {
  return { key, write: (entries) => [...entries], read: (texts) => new Set(texts) };
}

function map<T>(
  key: string,
  write: (value: T) => string,
  read: (text: string) => T | undefined,
): Field<ReadonlyMap<string, T>> {
  return {
    key,
    write: (entries) => [...entries].map(([name, value]) => `${escapePart(name)};${write(value)}`),
    read: (texts) =>
      new Map(
        texts.flatMap((each) => {
          const [name = "", rest] = splitParts(each);
          const value = rest === undefined ? undefined : read(rest);
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
  };
}

const writeNumbers = (values: readonly number[]): string => values.join(",");
function readNumbers(value: string | undefined): number[] | undefined {
  if (!value) return undefined;
  const numbers = value.split(",").map(Number);
  return numbers.every(Number.isFinite) ? numbers : undefined;
}
function readRange(value: string | undefined): Range | undefined {
  const [low, high] = readNumbers(value) ?? [];
  return low !== undefined && high !== undefined && low < high ? [low, high] : undefined;
}
function readSelection(value: string | undefined): number[] | undefined {
  // The user has cleared the selection on this card.
  if (value === "") return [];
  const numbers = readNumbers(value);
  return numbers && numbers.length <= 2 ? numbers : undefined;
}

const NEWEST = "newest";
const CARD_NUMBERS = { x: readRange, y: readRange, y2: readRange, selection: readSelection } as const;
const CARD_SCALES = ["xScale", "yScale", "y2Scale"] as const;

/** `x:0,100;yScale:log;wide` */
function writeCard(card: CardView): string {
  const parts: string[] = [];
  for (const key of Object.keys(CARD_NUMBERS) as (keyof typeof CARD_NUMBERS)[]) {
    const value = card[key];
    if (value) parts.push(`${key}:${writeNumbers(value)}`);
  }
  for (const key of CARD_SCALES) if (card[key]) parts.push(`${key}:${card[key]}`);
  if (card.isWide) parts.push("wide");
  if (card.heightPx !== undefined) parts.push(`height:${card.heightPx}`);
  if (card.at !== undefined) parts.push(`at:${card.at ? writeMoment(card.at) : NEWEST}`);
  return parts.join(";");
}

function readCard(written: string): CardView | undefined {
  const card: Record<string, unknown> = {};
  for (const part of written.split(";")) {
    const [key = "", value = ""] = part.split(":");
    if (key === "wide") card["isWide"] = true;
    else if (key === "height" && Number(value) > 0) card["heightPx"] = Number(value);
    else if (key === "at") card["at"] = value === NEWEST ? null : readMoment(value);
    else if (Object.hasOwn(CARD_NUMBERS, key)) card[key] = CARD_NUMBERS[key as keyof typeof CARD_NUMBERS](value);
    else if ((CARD_SCALES as readonly string[]).includes(key)) card[key] = SCALES.find((scale) => scale === value);
  }
  const known = Object.fromEntries(Object.entries(card).filter(([, value]) => value !== undefined));
  return Object.keys(known).length > 0 ? (known as CardView) : undefined;
}

/** Left and right tags: `id;<tag;>tag`. */
const writePanel = ({ id, tags, right }: Panel): string =>
  writeParts([id, ...tags.map((tag) => (right.includes(tag) ? ">" : "<") + tag)]);

function readPanel(written: string): Panel | undefined {
  const [id, ...marked] = readParts(written);
  const tags = marked.map((tag) => tag.slice(1));
  if (!id || tags.length === 0) return undefined;
  return { id, tags, right: tags.filter((_, i) => marked[i]?.startsWith(">")) };
}

/** The key of a column in addresses and for sorting. */
export function columnKey(column: RunColumn): string {
  if (column.kind !== "metric") return writeParts([column.kind, column.name]);
  if (column.stat === "at_step") return writeParts([column.stat, column.tag, String(column.step)]);
  if (column.stat === "at_best") return writeParts([column.stat, column.tag, column.best, column.bestTag]);
  return writeParts([column.stat, column.tag]);
}

function readColumn(key: string): RunColumn | undefined {
  const [kind = "", name = "", third = "", fourth = ""] = readParts(key);
  if (!name) return undefined;
  const info = RUN_INFOS.find((each) => each === name);
  if (kind === "info") return info && { kind, name: info };
  if (kind === "hparam") return { kind, name };
  if (kind === "at_step")
    return Number.isInteger(Number(third)) ? { kind: "metric", tag: name, stat: kind, step: Number(third) } : undefined;
  if (kind === "at_best") {
    return (third === "min" || third === "max") && fourth
      ? { kind: "metric", tag: name, stat: kind, best: third, bestTag: fourth }
      : undefined;
  }
  const stat = RUN_STATS.find((each) => each === kind);
  return stat && { kind: "metric", tag: name, stat };
}

function readGrouping(written: string | undefined): Exclude<GroupBy, ""> | undefined {
  const [, kind, rest = ""] = /^(config|regex|hparam|directory)(?::([\s\S]*))?$/.exec(written ?? "") ?? [];
  if (kind === "config") return "config";
  if (kind === "directory") return Number.isInteger(Number(rest)) && rest ? `directory:${Number(rest)}` : undefined;
  return kind && rest ? (`${kind}:${rest}` as `regex:${string}`) : undefined;
}

const KINDS = ["ema", "time_ema", "gaussian", "median"] as const;
const smoothing: Field<Smoothing> = {
  key: "smoothing",
  write: ({ kind, amount }) => {
    if (kind === DEFAULT_VIEW.smoothing.kind && amount === DEFAULT_VIEW.smoothing.amount) return [];
    return [kind === "ema" ? String(amount) : `${kind},${amount}`];
  },
  read: ([written = ""]) => {
    const [first = "", second] = written.split(",");
    const kind = second === undefined ? "ema" : KINDS.find((each) => each === first);
    const amount = Number(second ?? first);
    if (!kind || !Number.isFinite(amount) || (second ?? first) === "") return undefined;
    return { kind, amount: kind === "ema" ? Math.min(Math.max(amount, 0), SMOOTHING_MAX) : Math.max(amount, 0) };
  },
};

const selection: Field<Selection> = {
  key: "run",
  write: ({ base, except }, nameOf) => {
    const sign = base === "none" ? "" : "-";
    if (except.size === 0) return base === "none" ? [""] : [];
    const keys = [...except];
    const names = keys.map(nameOf);
    const isReadable =
      names.every((name) => name !== undefined && !/^([-~]|$)/.test(name)) && names.join("").length <= NAMES_BUDGET;
    return isReadable ? names.map((name) => sign + name) : [`${sign}~${keys.join("")}`];
  },
  read: (texts) => {
    const base = texts[0]?.startsWith("-") ? "all" : "none";
    const except = new Set<RunKey>();
    for (const each of texts) {
      const name = base === "all" ? each.slice(1) : each;
      if (!name.startsWith("~")) {
        if (name) except.add(runKey(name));
        continue;
      }
      for (let at = 1; at + KEY_LENGTH <= name.length; at += KEY_LENGTH)
        except.add(name.slice(at, at + KEY_LENGTH) as RunKey);
    }
    return { base, except };
  },
};

const sort: Field<RunSort | null> = {
  key: "sort",
  write: (value) => (value ? [(value.isDescending ? "-" : "") + value.column] : []),
  read: ([value = ""]) => (value ? { column: value.replace(/^-/, ""), isDescending: value.startsWith("-") } : null),
};

const FIELDS: { readonly [K in Exclude<keyof View, "dashboard">]: Field<View[K]> } = {
  runFilter: text("filter"),
  runQuery: text("query"),
  selection,
  isTree: flag("tree", DEFAULT_VIEW.isTree),
  collapsedFolders: set("folded"),
  columns: list("column", columnKey, readColumn),
  sort,
  colorBy: {
    key: "color",
    write: (value) => (value === "run" ? [] : [value]),
    read: ([value]): ColorBy | undefined => readGrouping(value),
  },
  tagFilter: text("tags"),
  collapsed: set("shut"),
  pinned: list("pin", same, (id) => id || undefined),
  order: map<readonly string[]>("order", writeParts, readParts),
  panels: list("panel", writePanel, readPanel),
  cards: map("card", writeCard, readCard),
  xAxis: text("x", DEFAULT_VIEW.xAxis),
  xScale: choice("xscale", SCALES, DEFAULT_VIEW.xScale),
  yScale: choice("yscale", SCALES, DEFAULT_VIEW.yScale),
  smoothing,
  cutsOutliers: flag("cut", DEFAULT_VIEW.cutsOutliers),
  showsRaw: flag("raw", DEFAULT_VIEW.showsRaw),
  showsEarlier: flag("earlier", DEFAULT_VIEW.showsEarlier),
  breaksFalls: flag("breaks", DEFAULT_VIEW.breaksFalls),
  isZoomLinked: flag("link", DEFAULT_VIEW.isZoomLinked),
  linkedX: { key: "zoom", write: (value) => (value ? [writeNumbers(value)] : []), read: ([value]) => readRange(value) },
  groupBy: { key: "group", write: (value) => (value ? [value] : []), read: ([value]) => readGrouping(value) },
  center: choice("center", ["mean", "median"], DEFAULT_VIEW.center),
  spread: choice("spread", ["minmax", "std", "stderr", "quantile", "bootstrap"], DEFAULT_VIEW.spread),
  selecting: choice("select", ["none", "step", "range"], DEFAULT_VIEW.selecting),
  isSelectionLinked: flag("linked", DEFAULT_VIEW.isSelectionLinked),
  linkedSelection: {
    key: "at",
    write: (value) => (value.length > 0 ? [writeNumbers(value)] : []),
    read: ([value]) => readSelection(value),
  },
  cursor: {
    key: "cursor",
    write: (value) => (value === null ? [] : [writeMoment(value)]),
    read: ([value = ""]) => readMoment(value),
  },
  cursorAxis: choice("cursorby", TIME_AXES, DEFAULT_VIEW.cursorAxis),
  isCursorLinked: flag("cursorlink", DEFAULT_VIEW.isCursorLinked),
  options: map<string>("option", same, same),
  theme: choice("theme", ["system", "light", "dark"], DEFAULT_VIEW.theme),
};
const KEYS = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

/** What the browser may keep, and how an address says that it has the default instead. */
const EXPLICIT_DEFAULTS: Partial<Record<keyof typeof FIELDS, string>> = {
  smoothing: String(DEFAULT_VIEW.smoothing.amount),
  isTree: "1",
  selecting: "none",
  pinned: "",
  columns: "",
  sort: "",
};

/** `kept`: what the bare address stands for; the address names what differs from it, and from the defaults. */
export function encodeView(view: View, nameOf: NameOf, kept: View = DEFAULT_VIEW): string {
  const parts = KEYS.flatMap((name) => {
    const written = writeField(FIELDS[name] as Field<unknown>, view[name], nameOf);
    const explicit = EXPLICIT_DEFAULTS[name];
    const isDefault = explicit !== undefined && written.length === 0;
    const isOther = isDefault && (FIELDS[name] as Field<unknown>).write(kept[name], nameOf).length > 0;
    return isOther ? [`${FIELDS[name].key}=${explicit}`] : written;
  });
  for (const [name, value] of KEPT_OPTIONS) {
    if (kept.options.has(name) && !view.options.has(name))
      parts.push(...writeField(FIELDS.options as Field<unknown>, new Map([[name, value]]), nameOf));
  }
  const query = parts.length > 0 ? `?${parts.join("&")}` : "";
  return view.dashboard || query ? `#/${escape(view.dashboard)}${query}` : "";
}

const writeField = (field: Field<unknown>, value: unknown, nameOf: NameOf): string[] =>
  field.write(value, nameOf).map((each) => `${field.key}=${escape(each)}`);

export function decodeView(hash: string): View {
  const [, path = "", query = ""] = /^#\/?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const params = new URLSearchParams(query);
  const view: Record<string, unknown> = { ...DEFAULT_VIEW, dashboard: unescape(path) };
  for (const name of KEYS) {
    const texts = params.getAll(FIELDS[name].key);
    const value = texts.length > 0 ? FIELDS[name].read(texts) : undefined;
    if (value !== undefined) view[name] = value;
  }
  return withOldAxis(view as unknown as View, params.get(OLD_AXIS));
}

/** In older addresses, positions of cursors are on the axis that they name. */
const OLD_AXIS = "cursoraxis";

function withOldAxis(view: View, written: string | null): View {
  const axis = TIME_AXES.find((each) => each === written);
  if (!axis) return view;
  const onAxis = (moment: Moment): Moment => (moment.axis === "step" ? { ...moment, axis } : moment);
  const cards = [...view.cards].map(([id, card]) => [id, card.at ? { ...card, at: onAxis(card.at) } : card] as const);
  return { ...view, cursorAxis: axis, cursor: view.cursor && onAxis(view.cursor), cards: new Map(cards) };
}

/** Like encodeURIComponent, but keeps harmless characters readable. */
function escape(value: string): string {
  return encodeURIComponent(value).replace(/%(2F|2C|3A|3B|3C|3E|40|24|7C)/g, (code) => decodeURIComponent(code));
}

function unescape(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
