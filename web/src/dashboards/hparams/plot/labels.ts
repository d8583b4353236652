// Texts along axes: those that fit beside each other, shortened where a name is too long. Pure but for measuring text.

import { textWidthPx } from "../../../base/text_width";
import type { AxisTick } from "../scales";

export const LABEL_PX = 10.5;

export interface Label {
  /** 0 to 1. */
  readonly at: number;
  readonly text: string;
  /** The whole text; differs where it was shortened. */
  readonly full: string;
  /** Names too wide for their band take turns on two lines. */
  readonly line: 0 | 1;
}

/** With an ellipsis where it is too wide. */
export function fitText(text: string, roomPx: number, sizePx = LABEL_PX): string {
  if (textWidthPx(text, sizePx) <= roomPx) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (textWidthPx(`${text.slice(0, middle)}…`, sizePx) <= roomPx) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? `${text.slice(0, low)}…` : "";
}

const GAP_PX = 8;
/** Height of a line. */
export const LINE_PX = 12;

/** Along the bottom: categories in the width of their band, numbers without those that would overlap. */
export function labelsAcross(ticks: readonly AxisTick[], lengthPx: number, isCategory: boolean): Label[] {
  if (isCategory) {
    const bandPx = lengthPx / Math.max(1, ticks.length);
    // Of many categories every second or third is named.
    const every = Math.ceil(18 / Math.max(1, bandPx));
    const named = ticks.filter((_, i) => i % every === 0);
    const roomPx = bandPx * every - 3;
    const isStaggered = named.length > 1 && named.some(({ text }) => textWidthPx(text, LABEL_PX) > roomPx);
    return named.map(({ at, text }, i) => ({
      at,
      // Twice as wide as its band, but not beyond the ends of the axis.
      text: fitText(text, isStaggered ? Math.min(2 * roomPx, 2 * Math.min(at, 1 - at) * lengthPx + 8) : roomPx),
      full: text,
      line: isStaggered && i % 2 === 1 ? 1 : 0,
    }));
  }
  const kept: Label[] = [];
  let endPx = -Infinity;
  for (const { at, text } of [...ticks].sort((a, b) => a.at - b.at)) {
    const halfPx = textWidthPx(text, LABEL_PX) / 2;
    if (at < -0.001 || at > 1.001 || at * lengthPx - halfPx < endPx) continue;
    kept.push({ at, text, full: text, line: 0 });
    endPx = at * lengthPx + halfPx + GAP_PX;
  }
  return kept;
}

/** Up the side: no wider than the room. */
export function labelsUp(ticks: readonly AxisTick[], lengthPx: number, roomPx: number, isCategory: boolean): Label[] {
  const leastPx = LABEL_PX + 2;
  const every = isCategory ? Math.ceil((leastPx * ticks.length) / Math.max(1, lengthPx)) : 1;
  const kept: Label[] = [];
  for (const { at, text } of ticks.filter((_, i) => i % every === 0).sort((a, b) => a.at - b.at)) {
    const last = kept.at(-1);
    if (at < -0.001 || at > 1.001 || (last && (at - last.at) * lengthPx < leastPx)) continue;
    kept.push({ at, text: fitText(text, roomPx), full: text, line: 0 });
  }
  return kept;
}

export const widestPx = (texts: Iterable<string>, sizePx = LABEL_PX): number =>
  Math.max(0, ...Array.from(texts, (text) => textWidthPx(text, sizePx)));
