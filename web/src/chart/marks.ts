// Marks for values that are not finite: ▲ at the top for +∞, ▼ at the bottom for −∞, × on the x axis for NaN.

import type { Plot } from "./model";

export type MarkShape = "up" | "down" | "cross";

export interface Mark {
  readonly shape: MarkShape;
  readonly xPx: number;
  readonly yPx: number;
  readonly color: string;
}

export const MARK_PX = 3.5;
// Closer marks would overlap. This also limits the work, however many lines there are.
const APART_PX = 8;

export const shapeOf = (value: number): MarkShape => (Number.isNaN(value) ? "cross" : value > 0 ? "up" : "down");

/** The middle of a value's mark. */
export function markYPx(value: number, plot: Plot): number {
  const shape = shapeOf(value);
  if (shape === "cross") return plot.bottom;
  return shape === "up" ? plot.top + MARK_PX : plot.bottom - MARK_PX;
}

/** Collects the marks of one drawing, the first at each position. */
export class Marks {
  readonly list: Mark[] = [];
  readonly #taken: Readonly<Record<MarkShape, Uint8Array>>;

  constructor(private readonly plot: Plot) {
    const places = Math.max(1, Math.ceil((plot.right - plot.left) / APART_PX) + 1);
    this.#taken = { up: new Uint8Array(places), down: new Uint8Array(places), cross: new Uint8Array(places) };
  }

  /** x and value of each mark in turn. */
  addAll(marks: readonly number[], color: string): void {
    for (let i = 0; i < marks.length; i += 2) this.add(marks[i] as number, marks[i + 1] as number, color);
  }

  private add(xPx: number, value: number, color: string): void {
    if (xPx < this.plot.left - 1 || xPx > this.plot.right + 1) return;
    const shape = shapeOf(value);
    const place = Math.max(0, Math.floor((xPx - this.plot.left) / APART_PX));
    if (this.#taken[shape][place]) return;
    this.#taken[shape][place] = 1;
    this.list.push({ shape, xPx, yPx: markYPx(value, this.plot), color });
  }
}

/** The outline of a mark as points; a triangle is closed and filled, a cross is two strokes. */
export function markOutline({ shape, xPx, yPx }: Mark): readonly (readonly [number, number])[] {
  const r = MARK_PX;
  if (shape === "cross")
    return [
      [xPx - r, yPx - r],
      [xPx + r, yPx + r],
      [xPx - r, yPx + r],
      [xPx + r, yPx - r],
    ];
  const tip = shape === "up" ? -r : r;
  return [
    [xPx, yPx + tip],
    [xPx + r, yPx - tip],
    [xPx - r, yPx - tip],
  ];
}
