// One trace as it is looked at: the visible time, which tracks are shown and how, what is selected and marked. The page
// sets what the address says and what the user chooses; the scene draws it. Created in a component and ends with it.

import { untrack } from "svelte";
import { type ApiError } from "../../../api/http";
import { LatestAnswer } from "../../../api/latest_answer.svelte";
import type { About, EventInfo, EventRef, Found, SearchIn, SearchMode, Step } from "../answer";
import { type ColorBy, isMeaning, MEANINGS, type Meaning, PALETTES, stepColor, type Theme, trackColor } from "./colors";
import { Loading, type CounterWindow, type Wish } from "./loading.svelte";
import { between, easeOut, keepInside, panBy, withMargin, zoomAt } from "./motion";
import {
  foldedOf,
  type Group,
  groupTracks,
  layRows,
  moved,
  placeAt,
  quietOf,
  type Row,
  type Rows,
  rowsBetween,
  siblingsOf,
} from "./rows";
import { RULER_PX } from "./scene/frame";
import type { Direction, SearchQuery, TraceSource } from "./source";
import type { Span } from "./span";
import { firstStep } from "./step_search";
import type { SliceWindow } from "./windows";

export const ARROWS = ["selected", "all"] as const;
export type Arrows = (typeof ARROWS)[number];

/** The event under the pointer, or a block of many. */
export interface Hovered {
  readonly event: number;
  readonly track: number;
  readonly depth: number;
  /** "": too narrow for the server to have sent it. */
  readonly name: string;
  readonly start: number;
  readonly duration: number;
  readonly count: number;
  readonly busy: number;
  readonly meaning: Meaning;
  readonly step: number;
}

export interface LegendEntry {
  readonly label: string;
  readonly color: string;
}

interface TimelineOptions {
  /** Null: nothing is open. Another object: another trace. */
  readonly source: () => TraceSource | null;
  readonly about: () => About | null;
  readonly theme: () => Theme;
}

const NOTHING: ReadonlySet<string> = new Set();
const MOVE_MS = 220;
/** Rows that are so far outside are loaded ahead. */
const NEAR_PX = 400;
/** An event that is brought into view is at least so wide. */
const LEAST_SHOWN_PX = 3;
const MARK_PX = 6;
const MOST_STRIP_PX = 16_384;
/** More steps than these in view: their boundaries would hide the events. */
const MOST_STEPS = 60;
/** With more steps in view, the ruler counts from the beginning of the trace. */
const MOST_COUNTED_FROM = 6;

export class Timeline {
  // All sets, lists and ranges are raw: replaced, never edited.
  #view = $state.raw<Span | null>(null);
  /** The event in the details; null: none. */
  selected = $state<number | null>(null);
  hovered = $state.raw<Hovered | null>(null);
  /** The moment under the pointer. */
  pointer = $state<number | null>(null);
  range = $state.raw<Span | null>(null);
  /** Compared with the first. */
  secondRange = $state.raw<Span | null>(null);
  /** What a drag is about to zoom into. */
  box = $state.raw<Span | null>(null);
  /** Moments that the user marked, ascending. */
  marks = $state.raw<readonly number[]>([]);
  colorBy = $state<ColorBy>("category");
  arrows = $state<Arrows>("selected");
  /** Device idle time is hatched and named from this length on; null: never. */
  minGap = $state<number | null>(100_000_000);
  q = $state("");
  searchIn = $state<SearchIn>("all");
  searchMode = $state<SearchMode>("text");
  /** Of all matches, the one that was gone to last. */
  matchIndex = $state<number | null>(null);

  // Groups and tracks, by keys that other traces of the same program have as well (rows.ts).
  collapsed = $state.raw<ReadonlySet<string>>(NOTHING);
  /** Folds of quiet threads that were opened. */
  opened = $state.raw<ReadonlySet<string>>(NOTHING);
  pinned = $state.raw<ReadonlySet<string>>(NOTHING);
  hidden = $state.raw<ReadonlySet<string>>(NOTHING);
  /** Keys that the user moved, in their order. */
  order = $state.raw<readonly string[]>([]);
  trackFilter = $state("");

  /** Of the canvas, with the ruler; the scene sets it. */
  viewport = $state.raw({ widthPx: 0, heightPx: 0 });
  #scrollY = $state(0);
  /** The number of the last frame on the screen, and whether it showed all that was asked for; the scene sets it. */
  isDrawn = $state(false);
  #picked = $state.raw<EventRef | null>(null);
  #moving = 0;
  /** Brought into view when it is known where it is. */
  #awaited: number | null = null;
  /** New answers go to whoever draws. */
  onwindow: (window: SliceWindow | CounterWindow) => void = () => {};

  readonly #info: LatestAnswer<number, EventInfo>;
  readonly #found: LatestAnswer<SearchQuery, Found>;

  constructor(private readonly options: TimelineOptions) {
    this.#info = new LatestAnswer((event, signal) => this.#source().event(event, signal));
    this.#found = new LatestAnswer((query, signal) => this.#source().search(query, this.stripPx, signal));
    // Outside: the server.
    $effect(() => {
      const { loading } = this;
      return () => loading?.end();
    });
    $effect(() => {
      const { wish, loading } = this;
      if (wish && loading) untrack(() => loading.want(wish));
    });
    $effect(() => {
      const { selected } = this;
      if (selected === null || !this.source) this.#info.rest();
      else this.#info.want(`${this.#opened} ${selected}`, selected);
    });
    $effect(() => {
      const { info } = this;
      if (!info || info.event !== this.#awaited) return;
      this.#awaited = null;
      untrack(() => this.reveal(info));
    });
    $effect(() => {
      const { query } = this;
      this.matchIndex = null;
      if (!query || !this.source) this.#found.forget();
      else this.#found.want(`${this.#opened} ${JSON.stringify(query)}`, query);
    });
    $effect(() => () => {
      this.#info.end();
      this.#found.end();
      cancelAnimationFrame(this.#moving);
    });
  }

  readonly about = $derived.by((): About | null => this.options.about());
  readonly source = $derived.by((): TraceSource | null => this.options.source());
  readonly theme = $derived.by((): Theme => this.options.theme());
  #openings = 0;
  /** Tells answers of one trace from those of another. */
  readonly #opened = $derived.by(() => (void this.source, ++this.#openings));
  readonly loading = $derived.by((): Loading | null => {
    const { source, about } = this;
    return source && about ? new Loading(source, about, (window) => this.onwindow(window)) : null;
  });
  #source(): TraceSource {
    return this.source as TraceSource;
  }

  readonly end = $derived.by(() => Math.max(1, this.about?.end_ps ?? 1));
  readonly unit = $derived.by(() => this.about?.unit ?? "ps");

  /** What is worth seeing at first: where threads and devices have events, with some room. */
  readonly whole = $derived.by((): Span => {
    const { about, end } = this;
    const [from, to] = about ? [about.busy_from_ps, about.busy_to_ps] : [0, 1];
    if (!(to > from)) return { from: 0, to: end };
    const room = (to - from) * 0.01;
    return { from: Math.round(from - room), to: Math.round(to + room) };
  });
  /** Pixels of the whole trace, if the overview, which shows what is worth seeing, is as wide as the page. */
  readonly stripPx = $derived.by(() => {
    const { from, to } = this.whole;
    const wide = Math.max(256, Math.ceil(this.viewport.widthPx / 256) * 256);
    return Math.min(MOST_STRIP_PX, Math.round((wide * this.end) / (to - from)));
  });
  /** The visible time: all of the trace until somebody moves it. */
  get view(): Span {
    return this.#view ?? this.whole;
  }
  set view(view: Span | null) {
    cancelAnimationFrame(this.#moving);
    this.#view = view && view.to > view.from ? view : null;
  }
  /** Whether all of the trace is in view. */
  get isFitted(): boolean {
    return this.#view === null;
  }

  readonly groups = $derived.by((): readonly Group[] => (this.about ? groupTracks(this.about) : []));
  readonly #closedGroups = $derived.by(() => foldedOf(this.groups));
  readonly rows = $derived.by((): Rows =>
    layRows(this.groups, {
      collapsed: this.collapsed,
      opened: this.opened,
      pinned: this.pinned,
      hidden: this.hidden,
      order: this.order,
      filter: this.trackFilter,
    }),
  );
  /** Where the events of a track are drawn: in its own row, in a fold, or in a collapsed group. */
  readonly rowOfTrack = $derived.by((): ReadonlyMap<number, Row> => {
    const places = new Map<number, Row>();
    for (const list of [this.rows.pinned, this.rows.rows])
      for (const row of list) {
        if (row.kind === "counter" || (row.kind === "group" && !row.isCollapsed)) continue;
        for (const track of row.tracks) if (!places.has(track) || row.kind === "track") places.set(track, row);
      }
    return places;
  });

  readonly #roomPx = $derived.by(() => this.viewport.heightPx - RULER_PX - this.rows.pinnedHeight);
  readonly mostScrollY = $derived.by(() => Math.max(0, this.rows.height - Math.max(60, this.#roomPx)));
  /** How far the rows are scrolled down. */
  get scrollY(): number {
    return Math.min(this.#scrollY, this.mostScrollY);
  }
  set scrollY(y: number) {
    this.#scrollY = Math.min(Math.max(0, y), this.mostScrollY);
  }
  readonly visibleRows = $derived.by((): readonly Row[] => {
    const { rows } = this.rows;
    const [begin, end] = rowsBetween(rows, this.scrollY, this.scrollY + this.#roomPx);
    return rows.slice(begin, end);
  });
  readonly #nearRows = $derived.by((): readonly Row[] => {
    const { rows } = this.rows;
    const [begin, end] = rowsBetween(rows, this.scrollY - NEAR_PX, this.scrollY + this.#roomPx + NEAR_PX);
    return rows.slice(begin, end);
  });
  readonly #drawnTracks = $derived.by(() => tracksOf([...this.rows.pinned, ...this.visibleRows]));
  readonly #nearTracks = $derived.by(() => tracksOf(this.#nearRows));
  readonly #drawnCounters = $derived.by(() =>
    [...this.rows.pinned, ...this.#nearRows].flatMap(({ counters }) => counters.map(({ id }) => id)),
  );

  readonly query = $derived.by((): SearchQuery | null =>
    this.q.trim() === "" ? null : { q: this.q, in: this.searchIn, mode: this.searchMode },
  );
  /** Devices, each with its busiest stream: its idle time is drawn there. */
  readonly deviceTracks = $derived.by((): ReadonlyMap<string, number> => {
    const busiest = new Map<string, { id: number; busy: number }>();
    for (const { id, host, device, place, busy_ps, kind } of this.about?.tracks ?? []) {
      if (place !== "device" || kind === "steps" || kind === "counter") continue;
      const key = `${host}/${device}`;
      if (busy_ps > (busiest.get(key)?.busy ?? -1)) busiest.set(key, { id, busy: busy_ps });
    }
    return new Map([...busiest].map(([key, { id }]) => [key, id]));
  });
  readonly wish = $derived.by((): Wish | null => {
    const { widthPx } = this.viewport;
    if (!this.about || widthPx === 0) return null;
    return {
      view: this.view,
      widthPx,
      tracks: this.#drawnTracks,
      tracksNear: this.#nearTracks,
      counters: this.#drawnCounters,
      search: this.query,
      arrows: this.arrows === "all" ? "all" : this.selected,
      minGap: this.minGap,
      gapTracks: [...this.deviceTracks.values()],
    };
  });

  /** All about the selected event, for the details; null: none, or on its way. */
  readonly info = $derived.by((): EventInfo | null => {
    const { answer } = this.#info;
    return this.selected !== null && answer?.key === `${this.#opened} ${this.selected}` ? answer.value : null;
  });
  readonly infoError = $derived.by((): ApiError | null => {
    const { error } = this.#info;
    return error?.key === `${this.#opened} ${this.selected}` ? error.cause : null;
  });
  /** Where the selected event is, as soon as that is known. */
  readonly place = $derived.by((): EventRef | null => {
    if (this.selected === null) return null;
    return this.info ?? (this.#picked?.event === this.selected ? this.#picked : null);
  });

  readonly found = $derived.by((): Found | null => (this.query ? (this.#found.answer?.value ?? null) : null));
  /** "": none. */
  readonly searchError = $derived.by((): string => this.#found.error?.cause.message ?? "");
  readonly isSearching = $derived.by(
    () => this.query !== null && this.#found.answer?.key !== `${this.#opened} ${JSON.stringify(this.query)}`,
  );

  /** By their beginning: there may be hundreds of thousands. */
  readonly steps = $derived.by((): readonly Step[] =>
    (this.about?.steps ?? []).toSorted((a, b) => a.start_ps - b.start_ps),
  );
  /** Of the first step that begins at or after the view, and of the first after its end. */
  readonly #stepBounds = $derived.by((): readonly [number, number] => [
    firstStep(this.steps, this.view.from),
    firstStep(this.steps, this.view.to),
  ]);
  /** Steps whose beginning is in view; none if they are too many to tell apart. */
  readonly visibleSteps = $derived.by((): readonly Step[] => {
    const [begin, end] = this.#stepBounds;
    return end - begin > MOST_STEPS ? [] : this.steps.slice(begin, end);
  });
  /** The step that the ruler counts from: the last that begins before the middle of the view; null: many, or none. */
  readonly zeroStep = $derived.by((): Step | null => {
    const { view, steps } = this;
    const [begin, end] = this.#stepBounds;
    if (end - begin > MOST_COUNTED_FROM) return null;
    const last = steps[firstStep(steps, (view.from + view.to) / 2) - 1];
    return last && last.end_ps > view.from ? last : null;
  });

  readonly meanings = $derived.by((): readonly Meaning[] =>
    (this.about?.categories ?? []).map(({ meaning }) => (isMeaning(meaning) ? meaning : "other")),
  );
  readonly legend = $derived.by((): readonly LegendEntry[] => {
    const { theme, about } = this;
    if (!about) return [];
    if (this.colorBy === "category") {
      const used = new Set(this.meanings.filter((_, i) => (about.categories[i]?.events ?? 1) > 0));
      return (Object.keys(MEANINGS) as Meaning[])
        .filter((meaning) => used.has(meaning))
        .map((meaning) => ({ label: MEANINGS[meaning], color: PALETTES[theme].meanings[meaning] }));
    }
    if (this.colorBy === "stream")
      return this.visibleRows
        .filter(({ kind }) => kind === "track")
        .map(({ label, tracks }) => ({ label, color: trackColor(tracks[0] as number, theme) }));
    if (this.colorBy === "step")
      return this.visibleSteps.slice(0, 12).map((step) => ({
        label: step.name || `Step ${step.number}`,
        color: stepColor(about.steps.indexOf(step), theme),
      }));
    return [];
  });

  toggleHidden(key: string): void {
    this.hidden = toggled(this.hidden, key);
  }
  togglePinned(key: string): void {
    this.pinned = toggled(this.pinned, key);
  }
  toggleCollapsed(key: string): void {
    const item = this.groups.flatMap(({ items }) => items).find((each) => each.key === key);
    const group = this.groups.find((each) => each.key === key);
    const isClosedAtFirst = item ? item.track.kind === "python" : !group || this.#closedGroups.has(group);
    if (isClosedAtFirst) this.opened = toggled(this.opened, key);
    else this.collapsed = toggled(this.collapsed, key);
  }
  showAll(): void {
    this.hidden = NOTHING;
    this.trackFilter = "";
  }
  /** Moves a track or group before another one of the same group, or to its end. */
  move(key: string, before: string | null): void {
    const group = this.groups.find(({ items }) => items.some((item) => item.key === key));
    const siblings: readonly { readonly key: string }[] = group ? group.items : this.groups;
    const rank = new Map(this.order.map((each, i) => [each, i]));
    const keys = siblings
      .map((each) => each.key)
      .toSorted((a, b) => (rank.get(a) ?? Infinity) - (rank.get(b) ?? Infinity) || 0);
    const others = this.order.filter((each) => !keys.includes(each));
    this.order = [...others, ...moved(keys, key, before)];
  }
  /** Moves a track or group up or down among those of its kind. */
  moveBy(key: string, by: -1 | 1): void {
    const keys = siblingsOf(this.rows.rows, key).map((each) => each.key);
    const at = keys.indexOf(key);
    const target = by < 0 ? keys[at - 1] : keys[at + 1];
    if (target === undefined) return;
    this.move(key, by < 0 ? target : (keys[at + 2] ?? null));
  }
  /** Moves a track or group to where the pointer is, `y` from the top of all rows. */
  dragTo(key: string, y: number): void {
    const place = placeAt(this.rows.rows, key, y);
    if (place) this.move(key, place.before);
  }

  // Moving the view.
  zoom(factor: number, at?: number): void {
    const { view } = this;
    this.view = zoomAt(view, factor, at ?? (view.from + view.to) / 2, this.end);
  }
  /** By a button: less than 1 shows more detail. Around the selection or the middle. */
  zoomBy(factor: number): void {
    const { view, place } = this;
    const middle = place ? place.start_ps + place.duration_ps / 2 : NaN;
    const at = middle >= view.from && middle <= view.to ? middle : (view.from + view.to) / 2;
    this.#glide(zoomAt(view, factor, at, this.end));
  }
  pan(share: number): void {
    this.view = panBy(this.view, share, this.end);
  }
  /** Without limits for a hand that holds the trace: it may go a little beyond. */
  moveTo(view: Span): void {
    this.view = keepInside(view, this.end);
  }
  /** All of the trace. */
  fit(): void {
    this.#glide(this.whole, () => (this.view = null));
  }
  fitTo(span: Span): void {
    this.#glide(withMargin(span, this.end));
  }
  /** To the selected event, else to the range. */
  fitSelection(): void {
    const { place, range } = this;
    if (place) {
      this.#scrollTo(place);
      this.fitTo({ from: place.start_ps, to: place.start_ps + place.duration_ps });
    } else if (range) this.fitTo(range);
    else this.fit();
  }
  fitStep(step: Step): void {
    this.fitTo({ from: step.start_ps, to: step.end_ps });
  }

  /** Moves there in a moment, so that the eye can follow. */
  #glide(to: Span, then: () => void = () => {}): void {
    cancelAnimationFrame(this.#moving);
    const from = this.view;
    const isStill = typeof matchMedia !== "function" || matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isStill) {
      this.#view = to;
      then();
      return;
    }
    const begin = performance.now();
    const step = (now: number): void => {
      const share = Math.min(1, Math.max(0, (now - begin) / MOVE_MS));
      this.#view = between(from, to, easeOut(share));
      if (share < 1) this.#moving = requestAnimationFrame(step);
      else then();
    };
    this.#moving = requestAnimationFrame(step);
  }

  select(event: number | EventRef | null): void {
    if (event !== null && typeof event === "object") {
      this.#picked = event;
      this.selected = event.event;
    } else this.selected = event;
  }
  /** Selects an event and brings it into view; keeps the zoom where it fits. */
  reveal(ref: EventRef): void {
    this.select(ref);
    this.#scrollTo(ref);
    const { view } = this;
    const length = view.to - view.from;
    const [from, to] = [ref.start_ps, ref.start_ps + ref.duration_ps];
    if (to - from > length * 0.9) return this.fitTo({ from, to });
    const perPx = length / Math.max(1, this.viewport.widthPx);
    // An instant has no width at any zoom.
    const wanted = to > from && (to - from) / perPx < LEAST_SHOWN_PX ? (to - from) * 60 : length;
    if (wanted === length && from >= view.from + length * 0.02 && to <= view.to - length * 0.02) return;
    const middle = (from + to) / 2;
    this.#glide(keepInside({ from: middle - wanted / 2, to: middle + wanted / 2 }, this.end));
  }
  /** The same of an event of which only the number is known. */
  revealEvent(event: number): void {
    this.selected = event;
    if (this.info) this.reveal(this.info);
    else this.#awaited = event;
  }
  /** Opens what hides the row of an event, and scrolls to it. */
  #scrollTo({ track, depth }: EventRef): void {
    const group = this.groups.find(({ items }) => items.some((item) => item.track.id === track));
    const item = group?.items.find((each) => each.track.id === track && each.counters.length === 0);
    if (!group || !item) return;
    if (this.hidden.has(item.key)) this.toggleHidden(item.key);
    if (this.#closedGroups.has(group) ? !this.opened.has(group.key) : this.collapsed.has(group.key))
      this.toggleCollapsed(group.key);
    const foldKey = `${group.key}/quiet`;
    if (item.track.kind === "python" && !this.opened.has(item.key)) this.opened = toggled(this.opened, item.key);
    if (quietOf(group).has(item) && !this.opened.has(foldKey) && !this.pinned.has(item.key))
      this.opened = toggled(this.opened, foldKey);
    const row = this.rowOfTrack.get(track);
    if (!row || row.isPinned) return;
    const y = row.y + depth * row.slicePx;
    if (y < this.scrollY + 30) this.scrollY = y - 60;
    else if (y + row.slicePx > this.scrollY + this.#roomPx - 10) this.scrollY = y + row.slicePx - this.#roomPx + 60;
  }
  /** Goes from the selected event to another. */
  async step(direction: Direction): Promise<void> {
    const { selected, source } = this;
    if (selected === null || !source) return;
    const ref = await source.step(selected, direction);
    if (ref && this.selected === selected) this.reveal(ref);
  }
  async nextMatch(by: -1 | 1): Promise<void> {
    const { query, source, selected, view } = this;
    if (!query || !source) return;
    const from = { event: selected, from_ps: by > 0 ? view.from : view.to };
    const { ref, index } = await source.match(query, from, by > 0 ? "next" : "previous");
    if (this.query !== query) return;
    this.matchIndex = index;
    if (ref) this.reveal(ref);
  }

  /** Marks a moment, or takes the mark there away. Without one: where the pointer is, or the selected event begins. */
  toggleMark(at: number | null = this.pointer ?? this.place?.start_ps ?? (this.view.from + this.view.to) / 2): void {
    if (at === null) return;
    const near = ((this.view.to - this.view.from) / Math.max(1, this.viewport.widthPx)) * MARK_PX;
    const others = this.marks.filter((mark) => Math.abs(mark - at) > near);
    this.marks = others.length < this.marks.length ? others : [...this.marks, Math.round(at)].sort((a, b) => a - b);
  }

  /** Takes back the newest of: selection, ranges. Whether there was one. */
  clear(): boolean {
    if (this.selected !== null) this.select(null);
    else if (this.secondRange) this.secondRange = null;
    else if (this.range) this.range = null;
    else return false;
    return true;
  }
}

const toggled = (set: ReadonlySet<string>, key: string): ReadonlySet<string> => {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
};

/** Those whose events are drawn in these rows. */
const tracksOf = (rows: readonly Row[]): readonly number[] => [
  ...new Set(
    rows.flatMap((row) =>
      row.kind === "counter" || (row.kind === "group" && !row.isCollapsed) ? [] : row.tracks.slice(0, MOST_FOLDED),
    ),
  ),
];
/** Of a fold, as many are drawn: more would make one line of them. */
const MOST_FOLDED = 200;
