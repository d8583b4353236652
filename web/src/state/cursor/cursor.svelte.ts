// The cursor that all cards share: one moment, its position on the chosen time axis, and where it can stop. Stops are
// requested for the shown runs and tags, whatever is in sight, and again when one of these runs has grown.

import type { Clock, Stops } from "../../api/stops";
import type { StopsQuery, TagIndex } from "../../api/types";
import { compilePattern } from "../../base/pattern";
import { Pacer } from "../../base/pacer";
import type { Changes } from "../changes.svelte";
import type { RunsState } from "../runs/runs.svelte";
import type { Settings } from "../view/settings.svelte";
import { isTimeAxis, type Moment, type Range, type TimeAxis } from "../view/view";
import { placeOn } from "./moment";
import { findNearest } from "./step_cursor";

const PACE = { restFactor: 10, minRestMs: 250, maxRestMs: 10_000 };
const NOWHERE = new Float64Array();

interface Ask {
  readonly stops: (query: StopsQuery) => Promise<Stops>;
  /** The tags of all kinds. */
  readonly tags: () => Promise<TagIndex>;
}

export class Cursor {
  #found = $state.raw<{ readonly key: string; readonly axis: TimeAxis; readonly stops: Stops } | null>(null);
  #isWanted = $state(false);
  readonly #requests = new Pacer(() => this.#request(), PACE);

  constructor(
    private readonly settings: Settings,
    private readonly runs: RunsState,
    private readonly changes: Changes,
    private readonly ask: Ask,
  ) {}

  /** Null until they are known. */
  readonly stops = $derived.by((): Stops | null => this.#found?.stops ?? null);
  readonly clock = $derived.by((): Clock | null => this.stops?.clock ?? null);
  /** Ascending positions on the axis. */
  readonly places = $derived.by((): Float64Array =>
    this.#found?.axis === this.settings.cursorAxis ? this.#found.stops.at : NOWHERE,
  );
  /** Position on the axis; null: at the newest. */
  readonly at = $derived.by((): number | null => this.placeOf(this.settings.cursor));
  /** The range that is selected in all charts, on the axis: the cursor and all cards stay in it. */
  readonly range = $derived.by((): Range | null => {
    const { selecting, isSelectionLinked, linkedSelection, xAxis } = this.settings;
    const [from, to] = linkedSelection;
    if (selecting !== "range" || !isSelectionLinked || from === undefined || to === undefined || !isTimeAxis(xAxis))
      return null;
    const [low, high] = [from, to].map((at) => this.placeOf({ axis: xAxis, at }));
    return low == null || high == null ? null : [low, high];
  });
  /** Index of the nearest stop; -1 without any. */
  readonly index = $derived.by(() => findNearest(this.places, this.at, this.range));

  /** All charts show everything again. */
  clearRange(): void {
    this.settings.set({ selecting: "none", linkedSelection: [] });
  }

  placeOf(moment: Moment | null): number | null {
    return moment && placeOn(this.settings.cursorAxis, moment, this.clock);
  }

  /** What all cards show: the newest, or where the cursor is; of a range, its nearest stop. */
  readonly #moment = $derived.by((): Moment | null => {
    const { cursor, cursorAxis } = this.settings;
    const { at, range } = this;
    const isInside = at !== null && (!range || (at >= range[0] && at <= range[1]));
    if (isInside) return cursor;
    const place = this.places[this.index];
    return place === undefined ? cursor : { axis: cursorAxis, at: place };
  });

  /** The position on a time axis, at the newest stop if the cursor is there. */
  on(axis: TimeAxis): number | null {
    return this.#moment && placeOn(axis, this.#moment, this.clock);
  }

  /** `at`: a position on the axis; null: the newest. */
  set(at: number | null, axis: TimeAxis = this.settings.cursorAxis): void {
    this.settings.set({ cursor: at === null ? null : { axis, at } });
  }

  /** The moment stays: what is shown on another axis is computed, so switching back is exact. */
  setAxis(cursorAxis: TimeAxis): void {
    this.settings.set({ cursorAxis });
  }

  /** Unlinked cards stay where they are until they are moved. */
  setLinked(isCursorLinked: boolean): void {
    this.settings.set({ isCursorLinked, cards: withoutOwn(this.settings.view.cards) });
  }

  /** Requests stops from now on. */
  want(): void {
    this.#isWanted = true;
  }

  /** Keeps the stops up to date; call it in an effect root. */
  follow(isQuiet: () => boolean): void {
    $effect(() => {
      // Depends on everything that the query does, and on changes in the logs.
      const isOld =
        this.#found?.key !== this.#key || this.changes.isNewer(this.#found.stops.generation, this.runs.shown);
      if (this.#isWanted && isOld && !isQuiet() && this.runs.names.length > 0) this.#requests.request();
    });
  }

  end(): void {
    this.#requests.end();
  }

  readonly #key = $derived.by(() => {
    const { cursorAxis, tagFilter } = this.settings;
    return [cursorAxis, this.changes.epoch, tagFilter, this.runs.isAllShown ? "" : this.runs.shown.join("\n")].join(
      "\0",
    );
  });

  async #request(): Promise<void> {
    const key = this.#key;
    const { cursorAxis, tagFilter } = this.settings;
    try {
      const tags = tagFilter ? await this.#matching(tagFilter) : null;
      const stops = await this.ask.stops({
        axis: cursorAxis,
        runs: this.runs.isAllShown ? null : [...this.runs.shown],
        tags,
      });
      this.#found = { key, axis: cursorAxis, stops };
    } catch {
      // The session reports a lost server; the next change requests again.
    }
  }

  /** Null: all tags, because the filter is no pattern. */
  async #matching(filter: string): Promise<string[] | null> {
    const { matches, error } = compilePattern(filter);
    if (error) return null;
    const { tag_sets } = await this.ask.tags();
    return [...new Set(tag_sets.flatMap((tags) => Object.keys(tags)))].filter(matches);
  }
}

/** What the user set for cards, without their own cursors. */
function withoutOwn(cards: Settings["cards"]): Settings["cards"] {
  return new Map(
    [...cards].flatMap(([id, { at: _at, ...kept }]) => (Object.keys(kept).length > 0 ? [[id, kept] as const] : [])),
  );
}
