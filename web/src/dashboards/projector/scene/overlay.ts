// What is drawn over the points: lines to neighbours, trails, rings, areas, labels and names. Pure: from the cloud to
// marks.

import { project, type Vector, type View } from "./camera";
import type { Links, Trails } from "./cloud.svelte";
import { DETAIL_PX, LABEL_PX, NAME_PX, type PlacedLabel, type PlacedName } from "./labels";
import type { Mark } from "./marks";
import type { Palette, PointStyle } from "./palette";

/** An area that selects: a line around it on the plane, or in 3-D on the screen; or a ball. */
export interface Area {
  readonly line: readonly (readonly [number, number])[];
  /** Its places are pixels, not units of the positions. */
  readonly isOnScreen: boolean;
}

export interface OverlayInput {
  readonly view: View;
  readonly palette: Palette;
  readonly style: PointStyle;
  readonly placeOf: (row: number) => Vector;
  readonly colorOf: (row: number) => string;
  readonly links: Links | null;
  readonly trails: Trails | null;
  readonly area: Area | null;
  readonly hovered: number | null;
  readonly focused: number | null;
  readonly labels: readonly PlacedLabel[];
  readonly names: readonly PlacedName[];
  readonly isText: boolean;
}

const SMOOTH = 4;

export function overlayMarks(input: OverlayInput): Mark[] {
  const { view, palette, style, placeOf, colorOf, links, area, hovered, focused } = input;
  const marks: Mark[] = [];
  const at = (row: number): readonly [number, number] | null => {
    const [x, y, depth] = project(view, ...placeOf(row));
    return depth > 0 && Number.isFinite(x + y) ? [x, y] : null;
  };
  const dot = (row: number, radiusPx: number): void => {
    const place = at(row);
    if (!place) return;
    const [x, y] = place;
    marks.push({ kind: "circle", x, y, radiusPx, fill: colorOf(row), stroke: palette.stage, widthPx: 1.4 });
  };
  if (input.trails) marks.push(...trailMarks(input.trails, input));

  if (links) {
    const from = at(links.from);
    const rows = Array.from(links.rows);
    if (from)
      for (const row of rows) {
        const to = at(row);
        if (to) marks.push({ kind: "line", at: [...from, ...to], color: palette.text, widthPx: 1, opacity: 0.42 });
      }
    if (!input.isText) for (const row of rows) dot(row, Math.max(style.selectedPx * 1.35, 3.4));
  }
  if (area) {
    const line = area.line.flatMap(([x, y]) => (area.isOnScreen ? [x, y] : project(view, x, y, 0).slice(0, 2)));
    marks.push({
      kind: "line",
      at: line,
      color: palette.accent,
      widthPx: 1.6,
      opacity: 1,
      dash: [5, 4],
      isClosed: true,
      fillOpacity: 0.07,
    });
  }
  for (const { row, text, x, y, align, isImportant } of input.labels) {
    if (!input.isText) dot(row, Math.max(style.radiusPx * 1.15, 2.2));
    marks.push({
      kind: "text",
      x,
      y,
      text,
      sizePx: LABEL_PX,
      isBold: false,
      color: input.isText ? colorOf(row) : isImportant ? palette.text : palette.muted,
      align,
    });
  }
  for (const { name, detail, isGreyed, x, y, nameWidthPx } of input.names) {
    const color = isGreyed ? palette.faint : palette.text;
    marks.push({ kind: "text", x, y, text: name, sizePx: NAME_PX, isBold: true, color, align: "left" });
    if (detail !== "")
      marks.push({
        kind: "text",
        x: x + nameWidthPx + 7,
        y,
        text: detail,
        sizePx: DETAIL_PX,
        isBold: false,
        color: palette.muted,
        align: "left",
      });
  }
  for (const [row, color, radiusPx, widthPx] of [
    [focused, palette.accent, 8, 2.4],
    [hovered, palette.text, 6.5, 1.6],
  ] as const) {
    const place = row === null ? null : at(row);
    if (row === null || !place) continue;
    const [x, y] = place;
    marks.push({ kind: "circle", x, y, radiusPx, fill: null, stroke: color, widthPx });
    dot(row, Math.max(style.selectedPx, row === focused ? 4.2 : 3.2));
  }
  return marks;
}

/** Thin and faint where it begins, with a line of the background around it that keeps it apart from the points. */
function* trailMarks({ rows, length, positions }: Trails, { view, palette, colorOf }: OverlayInput): Generator<Mark> {
  for (let i = 0; i < rows.length; i++) {
    const color = colorOf(rows[i] as number);
    const stops: [number, number][] = [];
    for (let step = 0; step < length; step++) {
      const at = 3 * (i * length + step);
      const place = [positions[at], positions[at + 1], positions[at + 2]] as [number, number, number];
      const [x, y, depth] = project(view, ...place);
      if (depth > 0 && Number.isFinite(x + y)) stops.push([x, y]);
    }
    const line = smoothed(stops);
    const parts = line.length - 1;
    for (const isCasing of [true, false])
      for (let k = 0; k < parts; k++) {
        const part = (k + 1) / parts;
        yield {
          kind: "line",
          at: [...(line[k] as [number, number]), ...(line[k + 1] as [number, number])],
          color: isCasing ? palette.stage : color,
          widthPx: (isCasing ? 2.4 : 0) + 0.8 + 1.1 * part,
          opacity: isCasing ? 0.75 * part : 0.12 + 0.88 * part * part,
        };
      }
    for (let k = 0; k < stops.length; k++) {
      const part = (k + 1) / stops.length;
      const isLast = k === stops.length - 1;
      const [x, y] = stops[k] as [number, number];
      yield {
        kind: "circle",
        x,
        y,
        radiusPx: isLast ? 3.4 : 1.2 + 0.8 * part,
        fill: color,
        stroke: isLast ? palette.stage : null,
        widthPx: 1.2,
        opacity: isLast ? 1 : 0.35 + 0.65 * part,
      };
    }
  }
}

/** A curve through all stops (Catmull–Rom). */
export function smoothed(stops: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  if (stops.length < 3) return [...stops];
  const line: (readonly [number, number])[] = [];
  for (let i = 0; i < stops.length - 1; i++) {
    const near = (k: number): readonly [number, number] =>
      stops[Math.min(Math.max(k, 0), stops.length - 1)] as readonly [number, number];
    const [a, b, c, d] = [near(i - 1), near(i), near(i + 1), near(i + 2)];
    for (let k = 0; k < SMOOTH; k++) {
      const t = k / SMOOTH;
      const mix = (axis: 0 | 1): number =>
        0.5 *
        (2 * b[axis] +
          (c[axis] - a[axis]) * t +
          (2 * a[axis] - 5 * b[axis] + 4 * c[axis] - d[axis]) * t * t +
          (3 * b[axis] - a[axis] - 3 * c[axis] + d[axis]) * t * t * t);
      line.push([mix(0), mix(1)]);
    }
  }
  line.push(stops.at(-1) as readonly [number, number]);
  return line;
}
