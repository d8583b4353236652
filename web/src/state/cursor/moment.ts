// A position on one of the three time axes, and the same position on another, by the clock of one run. Pure.

import type { Clock } from "../../api/stops";
import type { Moment, TimeAxis } from "../view/view";

/** Null if the clock is not known yet. A position before or after the clock's run is extrapolated. */
export function placeOn(axis: TimeAxis, moment: Moment, clock: Clock | null): number | null {
  if (moment.axis === axis) return moment.at;
  if (!clock || clock.step.length === 0) return null;
  const { step, wallTime, startTime } = clock;
  if (moment.axis === "step") {
    const time = interpolate(step, wallTime, moment.at);
    return axis === "wall" ? time : time - startTime;
  }
  const time = moment.axis === "wall" ? moment.at : moment.at + startTime;
  if (axis !== "step") return axis === "wall" ? time : time - startTime;
  return Math.round(interpolate(wallTime, step, time));
}

/** The y at this x; `xs` ascend. */
function interpolate(xs: Float64Array, ys: Float64Array, x: number): number {
  const last = xs.length - 1;
  let low = 0;
  let high = last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] as number) < x) low = middle + 1;
    else high = middle;
  }
  if (xs[low] === x || last === 0) return ys[low] as number;
  // Beyond the end, the run goes on at its average pace.
  const isOutside = x < (xs[0] as number) || x > (xs[last] as number);
  const [from, to] = isOutside ? [0, last] : [low - 1, low];
  const [x0, x1, y0, y1] = [xs[from], xs[to], ys[from], ys[to]] as [number, number, number, number];
  if (x1 === x0) return y1;
  const nearest = isOutside && x > x1 ? [x1, y1] : [x0, y0];
  return (nearest[1] as number) + ((x - (nearest[0] as number)) * (y1 - y0)) / (x1 - x0);
}

/** `6400`, `r200.5`, `w1731754124`: steps, seconds since the start, seconds since 1970. */
export const writeMoment = ({ axis, at }: Moment): string => (axis === "step" ? String(at) : `${axis[0]}${at}`);

export function readMoment(written: string): Moment | undefined {
  const [, letter, number = ""] = /^([rw]?)(.+)$/.exec(written) ?? [];
  const at = Number(number);
  if (number.trim() === "" || !Number.isFinite(at)) return undefined;
  return { axis: letter === "r" ? "relative" : letter === "w" ? "wall" : "step", at };
}
