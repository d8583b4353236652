// What keys and drags mean to a chart, as plain functions of where the pointer is and what the axis spans.

import type { Range, XKind } from "./model";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Left, top, right and bottom of the area inside the axes. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export type KeyAction = { move: Point } | { zoom: Range } | "reset" | "pin" | "release" | null;

const STEP_PX = 8;
const LEAP_PX = 40;
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Arrows move the pointer (from the middle when there is none), + and - zoom around it, 0 shows everything again. */
export function keyAction(key: string, isLeap: boolean, pointer: Point | null, area: Area, domain: Range): KeyAction {
  const at = pointer ?? { x: (area.left + area.right) / 2, y: (area.top + area.bottom) / 2 };
  const arrow = ARROWS[key];
  if (arrow) {
    const step = isLeap ? LEAP_PX : STEP_PX;
    return { move: { x: clamp(at.x + arrow.x * step, area.left, area.right), y: clamp(at.y + arrow.y * step, area.top, area.bottom) } };
  }
  switch (key) {
    case "+":
    case "-": {
      const span = domain[1] - domain[0];
      const middle = domain[0] + (span * (at.x - area.left)) / (area.right - area.left);
      const half = key === "+" ? span / 4 : span;
      return { zoom: [middle - half, middle + half] };
    }
    case "0":
      return "reset";
    case "Enter":
      return "pin";
    case "Escape":
      return "release";
    default:
      return null;
  }
}

/** Outwards to whole steps or thousandths of a second: a shorter address that shows the same. */
export function tidyRange([low, high]: Range, kind: XKind): Range {
  const unit = kind === "step" ? 1 : 1000;
  return [Math.floor(low * unit) / unit, Math.ceil(high * unit) / unit];
}
