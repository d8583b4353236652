// Makes a frame of a timeline: everything that is drawn, with its place on the canvas.

import { formatStep } from "../../../../base/format";
import type { Counter, EventRef, Step } from "../../answer";
import { type Meaning, PALETTES } from "../colors";
import { axisOf } from "../counter_format";
import { searchKey } from "../loading.svelte";
import { shorterNames } from "../names";
import type { Row } from "../rows";
import type { Timeline } from "../timeline.svelte";
import { formatTime } from "../time_format";
import {
  type ArrowFrame,
  type Frame,
  type IdleFrame,
  type MarkedEvent,
  type PieceFrame,
  type RowFrame,
  RULER_PX,
  TRACK_TOP_PX,
} from "./frame";

const MOST_ARROWS = 3_000;
/** Colours of counters, by what their names say. */
const COUNTER_MEANINGS = [
  [/mem|alloc|reserved|bytes/i, "device"],
  [/active|util|occup|busy/i, "normalisation"],
  [/queue|launch/i, "launch"],
  [/band|throughput|copy|pcie|nvlink/i, "copy"],
] as const;

const OTHER_MEANINGS = ["elementwise", "optimizer", "input", "reduction"] as const satisfies readonly Meaning[];

export function composeFrame(timeline: Timeline, number: number, ratio: number, font: string): Frame {
  const { viewport, view, theme, colorBy, unit, rows, place, loading } = timeline;
  const perPx = (view.to - view.from) / Math.max(1, viewport.widthPx);
  const pinnedPx = rows.pinnedHeight;
  const search = searchKey(timeline.query);
  const top = RULER_PX + pinnedPx - timeline.scrollY;
  const yOf = (row: Row): number => (row.isPinned ? RULER_PX + row.y : top + row.y);

  const rowFrame = (row: Row): RowFrame => {
    const pieces: PieceFrame[] = [];
    if (loading && row.counters.length > 0) {
      // The first one is drawn last, on top.
      for (const { id } of row.counters.toReversed())
        for (const { window, from, to } of loading.counters.pieces(id, view, perPx, ""))
          pieces.push({ window: window.id, key: id, from, to });
    } else if (loading && (row.kind !== "group" || row.isCollapsed))
      for (const track of row.tracks)
        for (const { window, from, to } of loading.slices.pieces(track, view, perPx, search))
          pieces.push({ window: window.id, key: track, from, to });
    const { kind, height, slicePx, depths, counters } = row;
    const [first] = counters;
    return {
      ...{ kind, y: yOf(row), height, slicePx, depths, pieces },
      isDevice: row.place === "device",
      counters: first
        ? { ...axisOf(counters), colors: counterColors(row.label, counters, theme), first: first.id }
        : null,
    };
  };

  const marked = ({ track, depth, name, start_ps, duration_ps }: EventRef): MarkedEvent | null => {
    const row = timeline.rowOfTrack.get(track);
    if (!row) return null;
    const isOwn = row.kind === "track";
    return {
      from: start_ps,
      to: start_ps + duration_ps,
      y: yOf(row) + (isOwn ? TRACK_TOP_PX + Math.min(depth, row.depths - 1) * row.slicePx : (row.height - 5) / 2),
      height: isOwn ? Math.max(2, row.slicePx - (row.slicePx >= 10 ? 1 : 0)) : 5,
      name,
    };
  };

  const { hovered } = timeline;
  const related = timeline.info ? [timeline.info.launch, ...timeline.info.kernels.slice(0, 50)] : [];
  return {
    ...{ number, ratio, view, unit, theme, font, colorBy, pinnedPx },
    widthPx: viewport.widthPx,
    heightPx: viewport.heightPx,
    zero: timeline.zeroStep?.start_ps ?? 0,
    rows: timeline.visibleRows.map(rowFrame),
    pinned: rows.pinned.map(rowFrame),
    steps: timeline.visibleSteps.map((step) => ({ start: step.start_ps, text: stepText(step) })),
    selected: place && marked(place),
    related: related.flatMap((ref) => (ref ? (marked(ref) ?? []) : [])),
    hovered:
      hovered && hovered.event !== timeline.selected
        ? marked({ ...hovered, start_ps: hovered.start, duration_ps: hovered.duration })
        : null,
    arrows: arrowsOf(timeline, yOf),
    isManyArrows: timeline.arrows === "all",
    idle: idleOf(timeline, yOf),
    range: timeline.range,
    secondRange: timeline.secondRange,
    marks: timeline.marks,
    pointer: timeline.pointer,
    box: timeline.box,
  };
}

export const stepText = ({ number, name }: Step): string => (number === null ? name : `step ${formatStep(number)}`);

/** By what the names say; others in one row get other colours. */
export function counterColors(
  label: string,
  counters: readonly Counter[],
  theme: Timeline["theme"],
): ReadonlyMap<number, string> {
  const { meanings } = PALETTES[theme];
  return new Map(
    counters.map(({ id, name }, i) => {
      const found = COUNTER_MEANINGS.find(([pattern]) => pattern.test(`${label} ${name}`))?.[1];
      const meaning =
        i === 0 && found ? found : (OTHER_MEANINGS[(i === 0 ? id : i - 1) % OTHER_MEANINGS.length] as Meaning);
      return [id, meanings[meaning]];
    }),
  );
}

function arrowsOf(timeline: Timeline, yOf: (row: Row) => number): readonly ArrowFrame[] {
  const loaded = timeline.loading?.flows;
  if (!loaded) return [];
  if (timeline.arrows === "selected" && loaded.key !== String(timeline.selected)) return [];
  const { flows, from } = loaded;
  const arrows: ArrowFrame[] = [];
  const y = (track: number, depth: number, isEnd: boolean, isDown: boolean): number | null => {
    const row = timeline.rowOfTrack.get(track);
    if (!row) return null;
    if (row.kind !== "track") return yOf(row) + row.height / 2;
    const slice = yOf(row) + TRACK_TOP_PX + Math.min(depth, row.depths - 1) * row.slicePx;
    return isEnd === isDown ? slice : slice + row.slicePx;
  };
  for (let i = 0; i < flows.from_event.length && arrows.length < MOST_ARROWS; i++) {
    const [fromTrack, toTrack] = [flows.from_track[i] as number, flows.to_track[i] as number];
    const [fromDepth, toDepth] = [flows.from_depth[i] as number, flows.to_depth[i] as number];
    const [above, below] = [y(fromTrack, fromDepth, true, true), y(toTrack, toDepth, true, true)];
    if (above === null || below === null) continue;
    const isDown = below >= above;
    arrows.push({
      fromTime: from + (flows.from_time[i] as number),
      fromY: y(fromTrack, fromDepth, false, isDown) as number,
      toTime: from + (flows.to_time[i] as number),
      toY: y(toTrack, toDepth, true, isDown) as number,
    });
  }
  return arrows;
}

function idleOf(timeline: Timeline, yOf: (row: Row) => number): readonly IdleFrame[] {
  const gaps = timeline.loading?.gaps?.gaps;
  if (!gaps || timeline.minGap === null) return [];
  const hosts = new Map(timeline.about?.tracks.map((track) => [track.id, track.host]));
  return gaps.flatMap(({ track, device, start_ps, duration_ps, host }) => {
    const own = timeline.deviceTracks.get(`${hosts.get(track) ?? ""}/${device}`) ?? track;
    const row = timeline.rowOfTrack.get(own);
    if (!row || row.kind !== "track") return [];
    const text = `idle ${formatTime(duration_ps)}${host ? `: ${waitText(host.name)}` : ""}`;
    return {
      from: start_ps,
      to: start_ps + duration_ps,
      y: yOf(row) + TRACK_TOP_PX + (row.depths - 1) * row.slicePx,
      height: row.slicePx - 1,
      text,
      isWarning: host !== null,
    };
  });
}

/** What the host did, in few letters. */
const waitText = (name: string): string => {
  const [, shorter] = shorterNames(name);
  return name.length > 40 && shorter !== undefined ? shorter : name;
};
