// The selected x values below a chart, one (a step) or two (a range), as plain functions: add, move, type.

import { lowerBound, type Range, type Series, type XKind, xOf } from "./model";

/** Rounds to whole steps, on other axes to a thousandth of the visible range; never outside the axis. */
export function settle(x: number, kind: XKind, domain: Range): number {
  const inside = Math.min(Math.max(x, domain[0]), domain[1]);
  if (kind === "step") return Math.min(Math.max(Math.round(inside), Math.ceil(domain[0])), Math.floor(domain[1]));
  const digits = Math.min(Math.max(3 - Math.floor(Math.log10(domain[1] - domain[0])), 0), 100);
  return Number(inside.toFixed(digits));
}

/** At most two: two make a range. */
export function addHandle(selection: readonly number[], x: number): readonly number[] {
  if (selection.length >= 2 || selection.includes(x)) return selection;
  return [...selection, x].sort((a, b) => a - b);
}

export const removeHandle = (selection: readonly number[], index: number): readonly number[] =>
  selection.filter((_, i) => i !== index);

/** The handles after one has moved, and the index of that one: dragged across the other, it takes its place. */
export function moveHandle(
  selection: readonly number[],
  index: number,
  x: number,
): { selection: readonly number[]; index: number } {
  const moved = selection.map((old, i) => (i === index ? x : old));
  const [first, second] = moved;
  if (first === undefined || second === undefined || first <= second) return { selection: moved, index };
  return { selection: [second, first], index: 1 - index };
}

/** The x of the next point to the left (-1) or right (1) over all lines; null at the end. */
export function nextPoint(lines: readonly Series[], x: number, direction: -1 | 1): number | null {
  let best: number | null = null;
  const offer = (value: number | undefined): void => {
    if (value === undefined || !Number.isFinite(value) || (value - x) * direction <= 0) return;
    if (best === null || (value - best) * direction < 0) best = value;
  };
  for (const line of lines) {
    const xs = xOf(line);
    if (!line.isSorted) {
      xs.forEach(offer);
      continue;
    }
    let at = lowerBound(xs, x);
    if (direction < 0) offer(xs[at - 1]);
    while (direction > 0 && at < xs.length && (xs[at] as number) <= x) at++;
    if (direction > 0) offer(xs[at]);
  }
  return best;
}

/** The text of the field when a handle is edited: short, and parsed back as the same x. */
export function editText(x: number, kind: XKind): string {
  if (kind !== "wall") return String(x);
  const date = new Date(x * 1000);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}

const UNITS_S: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/** 12000, 12,000, 1 h 30 m on a relative axis, a date on a wall axis; null for anything else. */
export function parseX(text: string, kind: XKind): number | null {
  const trimmed = text.trim().replaceAll("−", "-");
  const plain = trimmed.replace(/(\d)[,_](?=\d{3})/g, "$1");
  if (plain !== "" && Number.isFinite(Number(plain))) return Number(plain);
  if (kind === "relative" && /^(\d+(\.\d+)?\s*[dhms]\s*)+$/.test(trimmed)) {
    let seconds = 0;
    for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)\s*([dhms])/g))
      seconds += Number(amount) * (UNITS_S[unit as string] as number);
    return seconds;
  }
  if (kind === "wall") {
    const ms = Date.parse(trimmed.replace(" ", "T"));
    if (Number.isFinite(ms)) return ms / 1000;
  }
  return null;
}
