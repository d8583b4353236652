// What is under the pointer: a row, an event or a block of many, an end of a range.

import type { Meaning } from "./colors";
import { searchKey } from "./loading.svelte";
import type { Row } from "./rows";
import { RULER_PX, TRACK_TOP_PX } from "./scene/frame";
import type { Span } from "./span";
import type { Hovered, Timeline } from "./timeline.svelte";
import { firstAfter } from "./windows";

/** Thin events can be hit this far beside them. */
const NEAR_PX = 3;
const HANDLE_PX = 5;

export const timeAt = (timeline: Timeline, x: number): number =>
  timeline.view.from + (x / Math.max(1, timeline.viewport.widthPx)) * (timeline.view.to - timeline.view.from);

export function rowAt(timeline: Timeline, y: number): { readonly row: Row; readonly inside: number } | null {
  const { rows, scrollY } = timeline;
  if (y < RULER_PX) return null;
  const isPinned = y < RULER_PX + rows.pinnedHeight;
  const at = isPinned ? y - RULER_PX : y - RULER_PX - rows.pinnedHeight + scrollY;
  const row = (isPinned ? rows.pinned : timeline.visibleRows).find((each) => at >= each.y && at < each.y + each.height);
  return row ? { row, inside: at - row.y } : null;
}

export function eventAt(timeline: Timeline, x: number, y: number): Hovered | null {
  const found = rowAt(timeline, y);
  const { loading, view, viewport } = timeline;
  if (!found || !loading || found.row.kind === "counter" || (found.row.kind === "group" && !found.row.isCollapsed))
    return null;
  const { row, inside } = found;
  const depth = row.kind === "track" ? Math.floor((inside - TRACK_TOP_PX) / row.slicePx) : 0;
  if (depth < 0 || depth >= Math.max(1, row.depths)) return null;
  const perPx = (view.to - view.from) / Math.max(1, viewport.widthPx);
  const time = timeAt(timeline, x);
  const near = perPx * NEAR_PX;
  const search = searchKey(timeline.query);
  let best: { hovered: Hovered; off: number } | null = null;
  for (const track of row.tracks)
    for (const { window, from, to } of loading.slices.pieces(track, view, perPx, search)) {
      if (time < from - near || time > to + near) continue;
      const starts = window.rows.get(track)?.starts;
      if (!starts || depth >= starts.length - 1) continue;
      const { slices } = window;
      const end = starts[depth + 1] as number;
      for (let i = firstAfter(slices, starts[depth] as number, end, time - near - window.from); i < end; i++) {
        const start = window.from + (slices.start[i] as number);
        if (start > time + near) break;
        const duration = slices.duration[i] as number;
        const off = time < start ? start - time : Math.max(0, time - start - duration);
        if (best && off >= best.off) continue;
        const label = slices.label[i] as number;
        const meaning: Meaning = timeline.meanings[slices.category[i] as number] ?? "other";
        best = {
          off,
          hovered: {
            event: slices.event[i] as number,
            ...{ track, depth, start, duration, meaning },
            name: label >= 0 ? (slices.labels[label] as string) : "",
            count: slices.count[i] as number,
            busy: slices.busy[i] as number,
            step: slices.step[i] as number,
          },
        };
      }
    }
  return best?.hovered ?? null;
}

/** An end of a range, on the ruler or between the rows. */
export interface Handle {
  readonly range: "range" | "secondRange";
  readonly end: keyof Span;
}

export function handleAt(timeline: Timeline, x: number, y: number): Handle | null {
  if (y > RULER_PX) return null;
  const { view, viewport } = timeline;
  const px = (time: number): number => ((time - view.from) / (view.to - view.from)) * viewport.widthPx;
  for (const range of ["range", "secondRange"] as const) {
    const span = timeline[range];
    if (!span) continue;
    for (const end of ["to", "from"] as const) if (Math.abs(px(span[end]) - x) <= HANDLE_PX) return { range, end };
  }
  return null;
}
