// The pointer on an axis: a drag makes a brush, moves one, or moves one of its ends; a click removes the brush under
// it, or toggles a category or the place of missing values.

import type { Brush } from "../brushes";
import type { Column } from "../columns";
import type { HParamsPage } from "../hparams_page.svelte";
import type { Scale } from "../scales";
import { type AxisRange, brushBetween, brushedParts, toPlace, toPx } from "./axes";

export interface BrushedAxis {
  readonly column: Column;
  readonly scale: Scale;
  readonly isFlipped: boolean;
}

type Part = readonly [number, number];

/** What the drag does. */
interface Grab {
  readonly axis: BrushedAxis;
  readonly startPx: number;
  /** The brush before, without the part that moves. */
  readonly rest: Brush;
  /** The part that moves, as places; null: a new one. */
  readonly part: Part | null;
  /** Which end of it moves; null: both. */
  readonly end: 0 | 1 | null;
  readonly isMissing: boolean;
}

const END_PX = 5;
const CLICK_PX = 3;

type Target = Pick<HParamsPage, "brushOf" | "moveBrush" | "endMove" | "setBrush">;

export class AxisBrushing {
  #grab: Grab | null = null;
  #hasMoved = false;

  constructor(
    private readonly page: Target,
    private readonly range: AxisRange,
  ) {}

  start(axis: BrushedAxis, px: number): void {
    const { column, scale, isFlipped } = axis;
    const brush = this.page.brushOf(column.id) ?? { column: column.id, ranges: [], levels: null, missing: false };
    const isMissing = px > (this.range.bottomPx + this.range.missingPx) / 2 && scale.missingRows.length > 0;
    const pixels = (part: Part): Part => part.map((place) => toPx(this.range, place, isFlipped)) as unknown as Part;
    const parts = scale.categories ? [] : brushedParts(column, scale, brush);
    const at = parts.findIndex((part) => {
      const [a, b] = pixels(part);
      return px >= Math.min(a, b) - END_PX && px <= Math.max(a, b) + END_PX;
    });
    const part = parts[at] ?? null;
    const ends = part && pixels(part);
    const end = ends && (Math.abs(ends[0] - px) <= END_PX ? 0 : Math.abs(ends[1] - px) <= END_PX ? 1 : null);
    const ranges = brush.ranges.filter((_, i) => i !== at);
    this.#grab = { axis, startPx: px, rest: { ...brush, ranges }, part, end, isMissing };
    this.#hasMoved = false;
  }

  move(px: number): void {
    const grab = this.#grab;
    if (!grab || grab.isMissing || (!this.#hasMoved && Math.abs(px - grab.startPx) < CLICK_PX)) return;
    this.#hasMoved = true;
    const { axis, rest, part, end } = grab;
    const place = toPlace(this.range, px, axis.isFlipped);
    const start = toPlace(this.range, grab.startPx, axis.isFlipped);
    let [from, to] = [start, place];
    if (part && end !== null) [from, to] = [part[1 - end] as number, place];
    else if (part) {
      // Stops at the ends of the axis without becoming smaller.
      const by = Math.max(-Math.min(...part), Math.min(1 - Math.max(...part), place - start));
      [from, to] = [part[0] + by, part[1] + by];
    }
    const next = brushBetween(axis.column, axis.scale, from, to);
    this.page.moveBrush({
      ...rest,
      ranges: [...rest.ranges, ...next.ranges],
      levels: next.levels && [...new Set([...(rest.levels ?? []), ...next.levels])],
    });
  }

  end(): void {
    const grab = this.#grab;
    this.#grab = null;
    if (!grab) return;
    if (this.#hasMoved) this.page.endMove();
    else if (grab.isMissing) this.page.setBrush({ ...grab.rest, missing: !grab.rest.missing });
    else if (grab.axis.scale.categories) this.#toggle(grab);
    else if (grab.part) this.page.setBrush(grab.rest);
  }

  /** A click on a category adds it to the brush, or removes it. */
  #toggle({ axis: { column, scale, isFlipped }, startPx, rest }: Grab): void {
    const value = scale.valueAt(toPlace(this.range, startPx, isFlipped));
    if (column.levels) {
      const level = column.levels[value] ?? "";
      const levels = rest.levels ?? [];
      const isOn = levels.includes(level);
      this.page.setBrush({ ...rest, levels: isOn ? levels.filter((each) => each !== level) : [...levels, level] });
    } else {
      const others = rest.ranges.filter(([low, high]) => !(value >= low && value <= high));
      const isOn = others.length < rest.ranges.length;
      this.page.setBrush({ ...rest, ranges: isOn ? others : [...others, [value, value]] });
    }
  }
}
