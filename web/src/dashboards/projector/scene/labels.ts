// Which points get a label, and where labels go: the important ones first, and never one over another. Pure.

import type { View } from "./camera";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Boxes that may be hit, found through a coarse grid. */
export class Taken {
  readonly #cells = new Map<number, Box[]>();
  static readonly #CELL_PX = 64;

  isFree(box: Box): boolean {
    for (const cell of this.#cellsOf(box))
      for (const other of this.#cells.get(cell) ?? [])
        if (box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top)
          return false;
    return true;
  }

  add(box: Box): void {
    for (const cell of this.#cellsOf(box)) {
      const boxes = this.#cells.get(cell);
      if (boxes) boxes.push(box);
      else this.#cells.set(cell, [box]);
    }
  }

  #cellsOf({ left, top, right, bottom }: Box): number[] {
    const size = Taken.#CELL_PX;
    const cells: number[] = [];
    for (let y = Math.floor(top / size); y <= Math.floor(bottom / size); y++)
      for (let x = Math.floor(left / size); x <= Math.floor(right / size); x++) cells.push(y * 4096 + x);
    return cells;
  }
}

/** How many points are where on the screen. */
export class Crowd {
  readonly columns: number;
  readonly lines: number;
  readonly counts: Uint16Array;

  constructor(
    widthPx: number,
    heightPx: number,
    readonly cellPx = 8,
  ) {
    this.columns = Math.max(Math.ceil(widthPx / cellPx), 1);
    this.lines = Math.max(Math.ceil(heightPx / cellPx), 1);
    this.counts = new Uint16Array(this.columns * this.lines);
  }

  add(x: number, y: number): void {
    const [column, line] = [Math.floor(x / this.cellPx), Math.floor(y / this.cellPx)];
    if (column < 0 || line < 0 || column >= this.columns || line >= this.lines) return;
    const at = line * this.columns + column;
    this.counts[at] = Math.min((this.counts[at] as number) + 1, 65_535);
  }

  /** The part of the box's cells that have points. */
  coverage({ left, top, right, bottom }: Box): number {
    const at = (px: number): number => Math.floor(px / this.cellPx);
    let [covered, all] = [0, 0];
    for (let line = Math.max(at(top), 0); line <= Math.min(at(bottom), this.lines - 1); line++)
      for (let column = Math.max(at(left), 0); column <= Math.min(at(right), this.columns - 1); column++) {
        all++;
        if (this.counts[line * this.columns + column]) covered++;
      }
    return all === 0 ? 0 : covered / all;
  }
}

export interface OnScreen {
  readonly row: number;
  readonly x: number;
  readonly y: number;
}

const NAME_HEIGHT_PX = 18;
export const LABEL_PX = 10.5;
export const NAME_PX = 13;
export const DETAIL_PX = 11;
const LABEL_HEIGHT_PX = 15;
const AWAY_PX = 7;
const EDGE_PX = 8;

/** Points that would have room for a label of usual length, spread over the screen. `rows`, and
 * their places: in a stable order. */
export function candidates(
  view: View,
  places: Float32Array,
  rows: Uint32Array,
  options: { readonly from: number; readonly look: number; readonly most: number; readonly isText: boolean },
): { found: OnScreen[]; crowd: Crowd } {
  const { widthPx, heightPx, matrix: m } = view;
  const crowd = new Crowd(widthPx, heightPx);
  const seen: OnScreen[] = [];
  const end = Math.min(rows.length, options.from + options.look);
  for (let i = options.from; i < end; i++) {
    const row = rows[i] as number;
    const [x, y, z] = [places[3 * i], places[3 * i + 1], places[3 * i + 2]] as [number, number, number];
    const along = (k: number): number =>
      (m[k] as number) * x + (m[k + 1] as number) * y + (m[k + 2] as number) * z + (m[k + 3] as number);
    const w = along(8);
    if (w <= 0) continue;
    const [px, py] = [along(0) / w, along(4) / w];
    if (px < 0 || py < 0 || px > widthPx || py > heightPx) continue;
    crowd.add(px, py);
    seen.push({ row, x: px, y: py });
  }
  const [cellWidth, cellHeight] = options.isText ? [34, 13] : [110, 42];
  const isTaken = new Set<number>();
  const found: OnScreen[] = [];
  for (const each of seen) {
    if (found.length >= options.most) break;
    const cell = Math.floor(each.y / cellHeight) * 1024 + Math.floor(each.x / cellWidth);
    if (isTaken.has(cell)) continue;
    if (!options.isText && !sidesOf(each, 56).some((box) => crowd.coverage(box) <= MOST_COVERED)) continue;
    isTaken.add(cell);
    found.push(each);
  }
  return { found, crowd };
}

const MOST_COVERED = 0.22;

function sidesOf({ x, y }: { x: number; y: number }, widthPx: number): readonly [Box, Box] {
  const [top, bottom] = [y - LABEL_HEIGHT_PX / 2, y + LABEL_HEIGHT_PX / 2];
  return [
    { left: x + AWAY_PX - 3, top, right: x + AWAY_PX + widthPx + 3, bottom },
    { left: x - AWAY_PX - widthPx - 3, top, right: x - AWAY_PX + 3, bottom },
  ];
}

const isOnStage = ({ left, top, right, bottom }: Box, { widthPx, heightPx }: View): boolean =>
  left >= EDGE_PX && top >= EDGE_PX && right <= widthPx - EDGE_PX && bottom <= heightPx - EDGE_PX;

export interface Wanted extends OnScreen {
  readonly text: string;
  readonly widthPx: number;
  /** May cover points. */
  readonly isImportant: boolean;
}

export interface PlacedLabel {
  readonly row: number;
  readonly text: string;
  /** Where the text begins, ends or has its middle, and its baseline. */
  readonly x: number;
  readonly y: number;
  readonly align: "left" | "right" | "center";
  readonly widthPx: number;
  readonly isImportant: boolean;
}

/** Beside its point, right or left; the first ones first. */
export function placeLabels(
  wanted: readonly Wanted[],
  view: View,
  taken: Taken,
  crowd: Crowd | null,
  most: number,
): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  const isDone = new Set<number>();
  let others = 0;
  for (const { row, x, y, text, widthPx, isImportant } of wanted) {
    if (isDone.has(row) || text === "" || (!isImportant && others >= most)) continue;
    const box = sidesOf({ x, y }, widthPx).find(
      (side) =>
        isOnStage(side, view) && taken.isFree(side) && (isImportant || !crowd || crowd.coverage(side) <= MOST_COVERED),
    );
    if (!box) continue;
    taken.add(box);
    isDone.add(row);
    if (!isImportant) others++;
    const isRight = box.left > x;
    placed.push({
      row,
      text,
      x: isRight ? x + AWAY_PX : x - AWAY_PX,
      y: y + 3.6,
      align: isRight ? "left" : "right",
      widthPx,
      isImportant,
    });
  }
  return placed;
}

/** Instead of their points, in the middle of them. */
export function placeTexts(wanted: readonly Wanted[], view: View, taken: Taken): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  const isDone = new Set<number>();
  for (const { row, x, y, text, widthPx, isImportant } of wanted) {
    if (isDone.has(row) || text === "") continue;
    const box = { left: x - widthPx / 2 - 2, top: y - 6.5, right: x + widthPx / 2 + 2, bottom: y + 6.5 };
    if (!isOnStage(box, view) || !taken.isFree(box)) continue;
    taken.add(box);
    isDone.add(row);
    placed.push({ row, text, x, y: y + 3.6, align: "center", widthPx, isImportant });
  }
  return placed;
}

export interface NamePlace {
  readonly name: string;
  readonly detail: string;
  readonly isGreyed: boolean;
  /** Where the group is: its edges and its middle. */
  readonly box: Box;
  readonly x: number;
  readonly y: number;
  readonly nameWidthPx: number;
  readonly detailWidthPx: number;
}

export interface PlacedName {
  readonly name: string;
  readonly detail: string;
  readonly isGreyed: boolean;
  /** Where the text begins, and its baseline. */
  readonly x: number;
  readonly y: number;
  readonly nameWidthPx: number;
  readonly widthPx: number;
  /** Its group's number in the list. */
  readonly group: number;
}

const GAP_PX = 7;
/** A name this much farther from its group may as well cover points. */
const FAR_PX = 400;

/** Above the group, below it, beside it, or on it; without its detail if that helps. The first ones first. */
export function placeNames(names: readonly NamePlace[], view: View, taken: Taken, crowd: Crowd | null): PlacedName[] {
  const placed: PlacedName[] = [];
  for (const [number, each] of names.entries()) {
    const { name, detail, isGreyed, box: group, x, y, nameWidthPx, detailWidthPx } = each;
    if (x < 0 || y < 0 || x > view.widthPx || y > view.heightPx) continue;
    let best: { box: Box; cost: number; text: string } | null = null;
    for (const text of detail === "" ? [""] : [detail, ""]) {
      const widthPx = nameWidthPx + (text === "" ? 0 : GAP_PX + detailWidthPx);
      const spots: readonly (readonly [number, number])[] = [
        [x, group.top - 8],
        [x, group.bottom + 12],
        [group.left - widthPx / 2 - 6, y],
        [group.right + widthPx / 2 + 6, y],
        [(x + group.left) / 2, group.top - 4],
        [(x + group.right) / 2, group.top - 4],
        [x, y],
      ];
      spots.forEach(([cx, cy], i) => {
        const box = {
          left: cx - widthPx / 2 - 4,
          top: cy - NAME_HEIGHT_PX / 2,
          right: cx + widthPx / 2 + 4,
          bottom: cy + NAME_HEIGHT_PX / 2,
        };
        if (!isOnStage(box, view) || !taken.isFree(box)) return;
        const cost =
          (crowd?.coverage(box) ?? 0) + 0.04 * i + Math.hypot(cx - x, cy - y) / FAR_PX + (text === detail ? 0 : 0.3);
        if (!best || cost < best.cost) best = { box, cost, text };
      });
    }
    if (!best) continue;
    const { box, text } = best as { box: Box; text: string };
    taken.add(box);
    placed.push({
      name,
      detail: text,
      isGreyed,
      x: box.left + 4,
      y: box.bottom - 4.5,
      nameWidthPx,
      widthPx: box.right - box.left - 8,
      group: number,
    });
  }
  return placed;
}

/** Labels and names that went with their points: those that still overlap nothing. The first ones stay. */
export function keepApart<T extends PlacedLabel | PlacedName>(placed: readonly T[], taken: Taken): T[] {
  return placed.filter((each) => {
    const align = "align" in each ? each.align : "left";
    const left = align === "left" ? each.x : align === "right" ? each.x - each.widthPx : each.x - each.widthPx / 2;
    const box = { left: left - 2, top: each.y - 11, right: left + each.widthPx + 2, bottom: each.y + 2 };
    if (!taken.isFree(box)) return false;
    taken.add(box);
    return true;
  });
}
