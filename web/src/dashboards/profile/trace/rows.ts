// Which rows a timeline shows, in which order and how high: groups, tracks, counters, and folds of quiet threads.

import type { About, Counter, Place, Track } from "../answer";

export const SLICE_PX = 18;
export const TRACK_PAD_PX = 8;
export const GROUP_PX = 22;
export const QUIET_PX = 21;
export const COUNTER_PX = 46;
/** A collapsed track: all its rows in the height of one. */
const SMALL_PX = SLICE_PX + TRACK_PAD_PX;

/** Threads and streams with so few events, and so few beside their busiest neighbour, share one line. */
const QUIET_EVENTS = 500;
const QUIET_SHARE = 0.02;
/** Fewer than this are not worth a fold. */
const LEAST_QUIET = 2;
/** As many counters of one track and unit share a row. */
const MOST_JOINED = 4;
/** Of an opened fold; the rest stays folded. */
const MOST_OPENED = 1_000;

/** Groups with fewer events, beside others with many. */
const FEW_EVENTS = 20;
/** More rows of events above the devices than these are too many. */
const MOST_ROWS_ABOVE = 24;

export type RowKind = "group" | "track" | "quiet" | "counter";

export interface Row {
  readonly key: string;
  readonly kind: RowKind;
  /** From the top of all rows, or of the pinned ones. */
  readonly y: number;
  readonly height: number;
  readonly label: string;
  readonly detail: string;
  readonly group: string;
  readonly place: Place;
  /** Ids of the tracks whose events stand in it. */
  readonly tracks: readonly number[];
  /** In one row, with one axis; empty: it has events. */
  readonly counters: readonly Counter[];
  /** How many rows of events it has, and how high each is. */
  readonly depths: number;
  readonly slicePx: number;
  readonly isCollapsed: boolean;
  readonly isPinned: boolean;
}

export interface RowChoices {
  readonly collapsed: ReadonlySet<string>;
  readonly opened: ReadonlySet<string>;
  readonly pinned: ReadonlySet<string>;
  readonly hidden: ReadonlySet<string>;
  readonly order: readonly string[];
  readonly filter: string;
}

/** A track or counter that can be shown, for menus. */
export interface Item {
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  readonly track: Track;
  /** Empty: it has events. */
  readonly counters: readonly Counter[];
}

export interface Group {
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  readonly place: Place;
  readonly items: readonly Item[];
}

export interface Rows {
  readonly pinned: readonly Row[];
  readonly rows: readonly Row[];
  readonly pinnedHeight: number;
  readonly height: number;
}

const rowsOf = (items: readonly Item[]): number =>
  items.reduce((sum, { track, counters }) => sum + (counters.length > 0 ? 2 : isPython(track) ? 1 : track.rows), 0);

/** Frames of Python: deep, and mostly of interest for the stack of one event. Folded at first. */
const isPython = ({ kind }: Track): boolean => kind === "python";

/** Tracks by process and device, hosts before devices. The same for every choice. */
export function groupTracks(about: About): readonly Group[] {
  const byKey = new Map<string, { first: Track; tracks: Track[] }>();
  for (const track of about.tracks) {
    const key = [track.host, track.process || track.process_id, track.device ?? ""]
      .filter((part) => part !== "")
      .join("/");
    const group = byKey.get(key);
    if (group) group.tracks.push(track);
    else byKey.set(key, { first: track, tracks: [track] });
  }
  const counters = new Map<number, Counter[]>();
  for (const counter of about.counters) {
    const list = counters.get(counter.track);
    if (list) list.push(counter);
    else counters.set(counter.track, [counter]);
  }
  const hostProcesses = [...byKey.values()].filter(({ first }) => first.place === "host").length;
  const used = new Map<string, number>();
  const groups = [...byKey].map(([key, { first, tracks }]): Group => {
    const items = tracks.flatMap((track) => itemsOf(key, track, counters.get(track.id) ?? [], used));
    const ofHost = about.hosts.length > 1 && first.host !== "" ? `${first.host} · ` : "";
    return { key, place: first.place, items, ...titleOf(first, tracks, about, ofHost, hostProcesses) };
  });
  const shown = groups.filter(({ items }) => items.length > 0);
  // Deep stacks of the host would push the devices out of sight.
  const allRows = shown.reduce((sum, { place, items }) => sum + (place === "host" ? rowsOf(items) : 0), 0);
  const hostRows = allRows / Math.max(1, about.hosts.length);
  const first: Place = hostRows > MOST_ROWS_ABOVE ? "device" : "host";
  const hostOrder = new Map(about.hosts.map((host, i) => [host, i]));
  const hostOf = ({ items }: Group): number => hostOrder.get(items[0]?.track.host ?? "") ?? 0;
  const last = foldedOf(shown);
  const rank = (group: Group): number => (last.has(group) ? 2 : group.place === first ? 0 : 1);
  return shown.sort((a, b) => hostOf(a) - hostOf(b) || rank(a) - rank(b));
}

function titleOf(
  first: Track,
  tracks: readonly Track[],
  about: About,
  ofHost: string,
  hostProcesses: number,
): { label: string; detail: string } {
  const process =
    first.process || (/^\d+$/.test(first.process_id) ? `process ${first.process_id}` : first.process_id) || "Other";
  if (first.place === "device") {
    const device = about.devices.find(({ id }) => id === first.device);
    const kind = /tpu/i.test(process) ? "TPU" : "GPU";
    const label = first.device === null ? process : `${kind} ${first.device}`;
    const name = device?.name ?? process;
    return { label: ofHost + label, detail: name === label ? "" : name };
  }
  const threads = tracks.filter(({ kind, events }) => kind === "thread" && events > 0).length;
  const shown = threads < 1_000 ? threads : threads.toLocaleString("en");
  const counted = threads === 0 ? "" : `${shown} ${threads === 1 ? "thread" : "threads"}`;
  if (hostProcesses === 1) return { label: `${ofHost}Host`, detail: [process, counted].filter(Boolean).join(", ") };
  return { label: ofHost + process, detail: counted };
}

function itemsOf(group: string, track: Track, counters: readonly Counter[], used: Map<string, number>): Item[] {
  const items: Item[] = [];
  // Counted by text: a million threads may have one name.
  const unique = (text: string): string => {
    let key = text;
    let n = used.get(text) ?? 1;
    while (used.has(key)) key = `${text}#${++n}`;
    used.set(text, n);
    if (key !== text) used.set(key, 1);
    return key;
  };
  if (track.events > 0 && track.kind !== "counter") {
    const label = track.name;
    items.push({ key: unique(`${group}/${label}`), label, detail: threadDetail(track), track, counters: [] });
  }
  const isJoined = counters.length <= MOST_JOINED && counters.every(({ unit }) => unit === counters[0]?.unit);
  for (const joined of isJoined ? [counters] : counters.map((counter) => [counter])) {
    const [first] = joined;
    if (!first) continue;
    const label = joined.length > 1 || track.thread === first.name ? track.thread || first.name : first.name;
    const detail =
      joined.length > 1
        ? joined.map(({ name }) => withoutStart(name, label)).join(", ")
        : label === track.thread
          ? ""
          : track.thread;
    items.push({ key: unique(`${group}/${label}`), label, detail, track, counters: joined });
  }
  return items;
}

/** "Memory allocated" beside "Memory" is "allocated". */
const withoutStart = (name: string, start: string): string =>
  name.startsWith(`${start} `) ? name.slice(start.length + 1) : name;

/** A number of a thread that no system gave. */
const HASH = /^-?\d{10,}$/;

/** What else is said of a track than its name. Several tracks may be of one thread. */
function threadDetail({ name, thread_id: id, kind }: Track): string {
  const content = kind === "python" ? "Python" : kind === "instants" ? "instants" : "";
  const isSaid = id === "" || HASH.test(id) || name.toLowerCase().includes(id.toLowerCase());
  const number = isSaid ? "" : /^\d+$/.test(id) ? `thread ${id}` : id;
  return [content === name ? "" : content, number].filter(Boolean).join(", ");
}

const NONE: ReadonlySet<Item> = new Set();

/** Those of a group that are quiet beside its others. */
export function quietOf(group: Group): ReadonlySet<Item> {
  if (group.items.length <= LEAST_QUIET) return NONE;
  const most = group.items.reduce(
    (max, { track, counters }) => (counters.length > 0 ? max : Math.max(max, track.events)),
    0,
  );
  const quiet = group.items.filter(
    ({ track, counters }) =>
      counters.length === 0 &&
      (track.kind === "thread" || track.kind === "stream" || track.kind === "async") &&
      track.events < QUIET_EVENTS &&
      track.events < most * QUIET_SHARE,
  );
  return new Set(quiet.length < LEAST_QUIET ? [] : quiet);
}

/** What a profiler says of itself, in a few events: closed at first. */
export function foldedOf(groups: readonly Group[]): ReadonlySet<Group> {
  const events = groups.map(eventsOf);
  if (!events.some((count) => count >= FEW_EVENTS * 10)) return new Set();
  return new Set(
    groups.filter(
      ({ place, items }, i) =>
        place === "host" && (events[i] as number) < FEW_EVENTS && items.every(({ counters }) => counters.length === 0),
    ),
  );
}

const eventsOf = ({ items }: Group): number => items.reduce((sum, { track }) => sum + track.events, 0);

export function layRows(groups: readonly Group[], choices: RowChoices): Rows {
  const wanted = choices.filter.trim().toLowerCase();
  const isWanted = (group: Group, item: Item): boolean =>
    !choices.hidden.has(item.key) &&
    (wanted === "" || `${group.label} ${group.detail} ${item.label} ${item.detail}`.toLowerCase().includes(wanted));
  const rank = new Map(choices.order.map((key, i) => [key, i]));
  const sorted = <T extends { readonly key: string }>(list: readonly T[]): readonly T[] =>
    rank.size > 0 && list.some(({ key }) => rank.has(key))
      ? list.toSorted((a, b) => (rank.get(a.key) ?? Infinity) - (rank.get(b.key) ?? Infinity) || 0)
      : list;

  const pinned = new Stack(true);
  const rows = new Stack(false);
  const closed = foldedOf(groups);
  for (const group of sorted(groups)) {
    if (choices.hidden.has(group.key)) continue;
    const items = sorted(group.items.filter((item) => isWanted(group, item)));
    for (const item of items) if (choices.pinned.has(item.key)) pinned.add(group, item, choices);
    const left = choices.pinned.size === 0 ? items : items.filter(({ key }) => !choices.pinned.has(key));
    if (left.length === 0) continue;
    const isCollapsed = closed.has(group) ? !choices.opened.has(group.key) : choices.collapsed.has(group.key);
    rows.addGroup(group, isCollapsed);
    if (isCollapsed) continue;
    // Who filters wants to see what is left.
    const quiet = wanted === "" ? quietOf(group) : NONE;
    if (quiet.size === 0) {
      for (const item of left) if (item.counters.length === 0) rows.add(group, item, choices);
      for (const item of left) if (item.counters.length > 0) rows.add(group, item, choices);
      continue;
    }
    const folded: Item[] = [];
    const foldKey = `${group.key}/quiet`;
    const isOpened = choices.opened.has(foldKey);
    let open = 0;
    const beforeQuiet = left.filter((item) => !quiet.has(item) && item.counters.length === 0);
    const counters = left.filter((item) => item.counters.length > 0);
    for (const item of beforeQuiet) rows.add(group, item, choices);
    for (const item of left) if (quiet.has(item) && !(isOpened && open++ < MOST_OPENED)) folded.push(item);
    rows.addQuiet(group, foldKey, folded, left.filter((item) => quiet.has(item)).length, isOpened);
    if (isOpened) {
      const rest = new Set(folded);
      for (const item of left) if (quiet.has(item) && !rest.has(item)) rows.add(group, item, choices);
    }
    for (const item of counters) rows.add(group, item, choices);
  }
  return { pinned: pinned.rows, rows: rows.rows, pinnedHeight: pinned.y, height: rows.y };
}

class Stack {
  readonly rows: Row[] = [];
  y = 0;

  constructor(private readonly isPinned: boolean) {}

  add(group: Group, { key, label, detail, track, counters }: Item, { collapsed, opened }: RowChoices): void {
    const isCounter = counters.length > 0;
    const isCollapsed = isPython(track) && !isCounter ? !opened.has(key) : collapsed.has(key);
    const depths = isCounter ? 0 : Math.max(1, track.rows);
    const slicePx = isCollapsed ? SLICE_PX / depths : SLICE_PX;
    this.#push({
      key,
      kind: isCounter ? "counter" : "track",
      height: isCounter
        ? isCollapsed
          ? QUIET_PX
          : COUNTER_PX
        : isCollapsed
          ? SMALL_PX
          : depths * SLICE_PX + TRACK_PAD_PX,
      label,
      detail,
      group: group.key,
      place: group.place,
      tracks: [track.id],
      counters,
      depths,
      slicePx,
      isCollapsed,
    });
  }

  addGroup({ key, label, detail, place, items }: Group, isCollapsed: boolean): void {
    const tracks = items.filter(({ counters }) => counters.length === 0).map(({ track }) => track.id);
    this.#push({
      key,
      kind: "group",
      height: GROUP_PX,
      label,
      detail,
      group: key,
      place,
      tracks,
      counters: [],
      depths: 0,
      slicePx: 0,
      isCollapsed,
    });
  }

  addQuiet({ key: group, place }: Group, key: string, folded: readonly Item[], count: number, isOpened: boolean): void {
    const left = isOpened ? folded.length : count;
    const word = place === "device" ? "streams" : "threads";
    this.#push({
      ...{ key, kind: "quiet", height: QUIET_PX, group, place, counters: [], depths: 1, slicePx: 5 },
      label: isOpened && left === 0 ? `Quiet ${word}` : `${left.toLocaleString("en")} quiet ${word}`,
      detail: "",
      tracks: folded.slice(0, MOST_OPENED).map(({ track }) => track.id),
      isCollapsed: !isOpened,
    });
  }

  #push(row: Omit<Row, "y" | "isPinned">): void {
    // Not copied: there may be a million.
    this.rows.push(Object.assign(row, { y: this.y, isPinned: this.isPinned }));
    this.y += row.height;
  }
}

/** The rows that overlap a stretch, by index: from the first to before the last. */
export function rowsBetween(rows: readonly Row[], top: number, bottom: number): readonly [number, number] {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle] as Row;
    if (row.y + row.height <= top) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < rows.length && (rows[end] as Row).y < bottom) end++;
  return [low, end];
}

/** The order with one key moved before another, or to the end. */
export function moved(keys: readonly string[], key: string, before: string | null): readonly string[] {
  const others = keys.filter((each) => each !== key);
  const at = before === null ? others.length : others.indexOf(before);
  return at < 0 ? keys : [...others.slice(0, at), key, ...others.slice(at)];
}

/** Rows that a row can change places with: tracks of its group, or all groups. */
export function siblingsOf(rows: readonly Row[], key: string): readonly Row[] {
  const row = rows.find((each) => each.key === key);
  if (!row || row.kind === "quiet") return [];
  return rows.filter(({ kind, group }) =>
    row.kind === "group" ? kind === "group" : kind !== "group" && kind !== "quiet" && group === row.group,
  );
}

/** Where a row belongs that is dragged to `y`: before another one, or at the end; null: where it is. */
export function placeAt(rows: readonly Row[], key: string, y: number): { readonly before: string | null } | null {
  const siblings = siblingsOf(rows, key);
  const last = rows.at(-1);
  // A group goes with its tracks: its middle is that of all of them.
  const end = (i: number, { kind, y: top, height }: Row): number =>
    kind === "group" ? (siblings[i + 1]?.y ?? (last ? last.y + last.height : top + height)) : top + height;
  const above = siblings.filter((row, i) => row.key !== key && (row.y + end(i, row)) / 2 < y).length;
  if (above === siblings.findIndex((row) => row.key === key)) return null;
  return { before: siblings.filter((row) => row.key !== key)[above]?.key ?? null };
}
