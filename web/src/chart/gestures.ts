// What drags, fingers, wheel events and keys do to a chart, as plain functions of the pointer position and the axes.

import type { ChartView, Plot, Range, ScaleKind, XKind } from "./model";
import type { Axes } from "./nearest";
import type { Scale } from "./axes/scale";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The plot, or the strip of one of its axes. */
export type Region = "plot" | keyof ChartView;

export interface Drag {
  readonly kind: "zoom" | "pan";
  readonly region: Region;
  readonly from: Point;
  readonly to: Point;
}

/** The axes now, or when a drag began, and the kind of x. */
export interface Ground {
  readonly axes: Axes;
  readonly view: ChartView;
  readonly xKind: XKind;
  readonly hasRight: boolean;
}

/** A finger on the chart: where it was when its gesture began, and where it is. */
export interface Finger {
  readonly id: number;
  readonly from: Point;
  readonly to: Point;
}

/**
 * One or two fingers. A press may become anything: a tap, a scroll of the page, or one of the other two. Reading shows
 * the values under the finger; moving pans and, with two fingers, zooms x.
 */
export interface Touch {
  readonly kind: "press" | "read" | "move";
  readonly fingers: readonly Finger[];
  /** When the fingers were put down, or one of them lifted. */
  readonly ground: Ground;
}

export type KeyAction =
  { move: Point } | { zoom: "x" | "y"; factor: number } | "reset" | "pin" | "release" | "select" | null;

/** A shorter drag is a click. */
export const DRAG_PX = 5;
const EDGE_PX = 4;
const STEP_PX = 8;
const LEAP_PX = 40;
// A drag this much flatter than steep, or steeper than flat, is meant for one axis.
const FLATNESS = 0.2;
const SLIP_PX = 10;
// Fingers closer together than this, or one above the other, would zoom in leaps.
const SPREAD_PX = 40;
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

export const clampTo = (at: Point, plot: Plot): Point => ({
  x: clamp(at.x, plot.left, plot.right),
  y: clamp(at.y, plot.top, plot.bottom),
});

export function regionAt({ x, y }: Point, plot: Plot, hasRight: boolean): Region | null {
  const isBeside = y <= plot.bottom + EDGE_PX;
  const isOver = x >= plot.left - EDGE_PX && x <= plot.right + EDGE_PX;
  if (isBeside && isOver) return y >= 0 ? "plot" : null;
  if (isOver) return "x";
  if (!isBeside) return null;
  if (x < plot.left) return "y";
  return hasRight ? "y2" : null;
}

/**
 * Which axes a drag is meant for: that of its strip, one axis if it is nearly horizontal or vertical, otherwise both.
 */
export function dragAxes({ region, from, to }: Drag): { x: boolean; y: boolean } {
  if (region !== "plot") return { x: region === "x", y: region !== "x" };
  const [wide, tall] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  if (tall < SLIP_PX && wide < SLIP_PX) return { x: wide >= tall, y: tall > wide };
  return { x: wide >= SLIP_PX && wide > tall * FLATNESS, y: tall >= SLIP_PX && tall > wide * FLATNESS };
}

export const isClick = ({ from, to }: Drag): boolean =>
  Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y)) < DRAG_PX;

/** The rectangle that a zoom drag marks. */
export function dragBox(drag: Drag, plot: Plot): Plot {
  const [from, to] = [clampTo(drag.from, plot), clampTo(drag.to, plot)];
  const along = dragAxes(drag);
  return {
    left: along.x ? Math.min(from.x, to.x) : plot.left,
    right: along.x ? Math.max(from.x, to.x) : plot.right,
    top: along.y ? Math.min(from.y, to.y) : plot.top,
    bottom: along.y ? Math.max(from.y, to.y) : plot.bottom,
  };
}

/** The view after a zoom drag; the same view if there is nothing to zoom into. */
export function zoomInto(drag: Drag, ground: Ground): ChartView {
  const box = dragBox(drag, ground.axes.plot);
  return change(ground, drag.region, dragAxes(drag), (scale, isX) =>
    isX ? [scale.toValue(box.left), scale.toValue(box.right)] : [scale.toValue(box.bottom), scale.toValue(box.top)],
  );
}

/**
 * The view after a pan, relative to where it began. An axis that follows the data does so until the drag moves along
 * it.
 */
export function panAlong(drag: Drag, ground: Ground): ChartView {
  const { plot } = ground.axes;
  const along = dragAxes(drag);
  const isPlot = drag.region === "plot";
  const wanted = { x: along.x || (isPlot && ground.view.x !== null), y: along.y || (isPlot && ground.view.y !== null) };
  const [dx, dy] = [drag.to.x - drag.from.x, drag.to.y - drag.from.y];
  return change(ground, drag.region, wanted, (scale, isX) =>
    isX
      ? [scale.toValue(plot.left - dx), scale.toValue(plot.right - dx)]
      : [scale.toValue(plot.bottom - dy), scale.toValue(plot.top - dy)],
  );
}

/** The new range is `factor` times as long, and what is under the pointer stays there. */
export function zoomAt(region: Region, at: Point, factor: number, ground: Ground): ChartView {
  const { plot } = ground.axes;
  const { x, y } = clampTo(at, plot);
  const ends = (scale: Scale, from: number, middle: number, to: number): Range => [
    scale.toValue(middle + (from - middle) * factor),
    scale.toValue(middle + (to - middle) * factor),
  ];
  const wanted = { x: region === "plot" || region === "x", y: region !== "x" };
  return change(ground, region, wanted, (scale, isX) =>
    isX ? ends(scale, plot.left, x, plot.right) : ends(scale, plot.bottom, y, plot.top),
  );
}

/** A second finger begins to move; while the first one reads, others do nothing. */
export function touchDown(touch: Touch | null, id: number, at: Point, ground: Ground): Touch {
  const finger = { id, from: at, to: at };
  if (touch === null) return { kind: "press", fingers: [finger], ground };
  if (touch.kind === "read" || touch.fingers.length > 1) return touch;
  return { kind: "move", fingers: [...touch.fingers.map(restart), finger], ground };
}

/** A press begins to move when it goes sideways; up and down belong to the page. */
export function touchMove(touch: Touch, id: number, at: Point): Touch {
  const fingers = touch.fingers.map((finger) => (finger.id === id ? { ...finger, to: at } : finger));
  const moves = fingers.some(({ from, to }) => {
    const wide = Math.abs(to.x - from.x);
    return wide >= DRAG_PX && wide > Math.abs(to.y - from.y);
  });
  return { ...touch, kind: touch.kind === "press" && moves ? "move" : touch.kind, fingers };
}

/** Null when the last finger is lifted; one that stays goes on from where it is. */
export function touchUp(touch: Touch, id: number, ground: Ground): Touch | null {
  const fingers = touch.fingers.filter((finger) => finger.id !== id);
  if (fingers.length === touch.fingers.length) return touch;
  return fingers.length === 0 ? null : { ...touch, fingers: fingers.map(restart), ground };
}

const restart = ({ id, to }: Finger): Finger => ({ id, from: to, to });

/** The view after the fingers moved: what was under them in x still is. */
export function followFingers({ fingers, ground }: Touch): ChartView {
  const { plot } = ground.axes;
  const placed = (end: "from" | "to"): { middle: number; spread: number } => {
    const xs = fingers.map((finger) => finger[end].x);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    return { middle: (left + right) / 2, spread: Math.max(right - left, SPREAD_PX) };
  };
  const [before, now] = [placed("from"), placed("to")];
  const factor = before.spread / now.spread;
  return change(ground, "x", { x: true, y: false }, (scale) => [
    scale.toValue(before.middle + (plot.left - now.middle) * factor),
    scale.toValue(before.middle + (plot.right - now.middle) * factor),
  ]);
}

function change(
  { axes, view, xKind, hasRight }: Ground,
  region: Region,
  wanted: { x: boolean; y: boolean },
  range: (scale: Scale, isX: boolean) => Range,
): ChartView {
  const put = (isWanted: boolean, old: Range | null, scale: Scale, kind: XKind, isX: boolean): Range | null => {
    if (!isWanted) return old;
    const tidy = tidyRange(range(scale, isX), kind, scale.kind);
    return tidy[0] < tidy[1] && Number.isFinite(tidy[1] - tidy[0]) ? tidy : old;
  };
  return {
    x: put(wanted.x, view.x, axes.x, xKind, true),
    y: put(wanted.y && region !== "y2", view.y, axes.y, "value", false),
    y2: put(wanted.y && hasRight && region !== "y", view.y2, axes.y2, "value", false),
  };
}

/**
 * Rounds to whole steps, to milliseconds, or to as many digits as are visible: a shorter address that shows the same.
 */
export function tidyRange([low, high]: Range, kind: XKind, scale: ScaleKind): Range {
  if (scale !== "linear") return [Number(low.toPrecision(5)), Number(high.toPrecision(5))];
  if (kind === "step") {
    const [from, to] = [Math.round(low), Math.round(high)];
    return from < to ? [from, to] : [Math.floor(low), Math.ceil(high)];
  }
  const digits = kind === "value" ? clamp(3 - Math.floor(Math.log10(high - low)), 0, 100) : 3;
  const [from, to] = [Number(low.toFixed(digits)), Number(high.toFixed(digits))];
  return from < to ? [from, to] : [low, high];
}

/**
 * Arrows move the pointer (from the middle if there is none), + and - zoom x around it, y and Shift-y zoom the y axis,
 * 0 resets the zoom, s selects the pointer's x.
 */
export function keyAction(key: string, isLeap: boolean, pointer: Point | null, plot: Plot): KeyAction {
  const arrow = ARROWS[key];
  if (arrow) {
    const at = pointer ?? { x: (plot.left + plot.right) / 2, y: (plot.top + plot.bottom) / 2 };
    const step = isLeap ? LEAP_PX : STEP_PX;
    return { move: clampTo({ x: at.x + arrow.x * step, y: at.y + arrow.y * step }, plot) };
  }
  switch (key) {
    case "+":
    case "=":
      return { zoom: "x", factor: 0.5 };
    case "-":
      return { zoom: "x", factor: 2 };
    case "y":
      return { zoom: "y", factor: 0.5 };
    case "Y":
      return { zoom: "y", factor: 2 };
    case "0":
      return "reset";
    case "s":
      return "select";
    case "Enter":
      return "pin";
    case "Escape":
      return "release";
    default:
      return null;
  }
}
