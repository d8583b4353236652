// What is on the screen as an SVG file: every point a circle, every label a text.

import { project } from "./camera";
import type { Cloud } from "./cloud.svelte";
import { axisEnds } from "./ground";
import { escapeXml, type Mark, markToSvg } from "./marks";
import { hexColor } from "./palette";
import { fog, sizeAt } from "./splat";

/** More points than this make a file that no program opens; they are an even sample. */
export const MAX_SVG_POINTS = 50_000;

const round = (value: number): number => Math.round(value * 100) / 100;

export function toSvg(cloud: Cloud): string {
  const shot = cloud.draw?.snapshot;
  if (!shot) throw new Error("There is nothing to save yet.");
  const { view, palette, style, order } = shot;
  const { widthPx, heightPx } = view;
  const parts: string[] = [];
  if (view.dimensions === 3)
    for (const at of axisEnds(view, shot.radius))
      parts.push(markToSvg({ kind: "line", at, color: palette.border, widthPx: 1, opacity: 1 }, palette.stage));
  for (const { isOuter, contour } of shot.contours)
    for (const line of contour.lines) {
      const at = Array.from(line, (_, i) =>
        i % 2 === 0 ? project(view, line[i] as number, line[i + 1] as number, 0) : [],
      )
        .filter((place) => place.length > 0)
        .flatMap(([x, y]) => [x as number, y as number]);
      const color = palette.contours[isOuter ? 0 : 1];
      parts.push(markToSvg({ kind: "line", at, color, widthPx: 1, opacity: 1 }, palette.stage));
    }
  const circles: { depth: number; mark: Mark }[] = [];
  const { rows, greyedEnd, selectedFrom } = order;
  const every = Math.max(rows.length / MAX_SVG_POINTS, 1);
  for (let k = 0; Math.floor(k) < rows.length; k += every) {
    const i = Math.floor(k);
    const row = rows[i] as number;
    const [x, y, depth] = project(view, ...cloud.placeOf(row));
    if (!(depth > 0) || x < -9 || y < -9 || x > widthPx + 9 || y > heightPx + 9) continue;
    const [radiusPx, opacity] =
      i < greyedEnd
        ? [style.greyedPx, style.greyedOpacity]
        : i < selectedFrom
          ? [style.radiusPx, style.opacity]
          : [style.selectedPx, 1];
    const isDeep = view.dimensions === 3;
    const fill = i < greyedEnd ? palette.faint : cloud.colors ? hexColor(cloud.colors[row] ?? 0) : palette.accent;
    const size = isDeep ? sizeAt(radiusPx, view.distance, depth) : radiusPx;
    const seen = isDeep ? opacity * fog(view.distance, depth) : opacity;
    circles.push({
      depth,
      mark: { kind: "circle", x, y, radiusPx: size, fill, stroke: null, widthPx: 0, opacity: seen },
    });
  }
  if (view.dimensions === 3) circles.sort((a, b) => b.depth - a.depth);
  for (const { mark } of circles) parts.push(markToSvg(mark, palette.stage));
  for (const row of cloud.matches) {
    const [x, y, depth] = project(view, ...cloud.placeOf(row));
    if (!(depth > 0) || cloud.hidden?.[row]) continue;
    const ring = { kind: "circle", x, y, radiusPx: style.ringPx, fill: null, stroke: palette.text } as const;
    parts.push(markToSvg({ ...ring, widthPx: 1.2, opacity: 0.9 }, palette.stage));
  }
  for (const mark of shot.marks) parts.push(markToSvg(mark, palette.stage));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(widthPx)}" height="${round(heightPx)}" ` +
    `viewBox="0 0 ${round(widthPx)} ${round(heightPx)}" font-family="${escapeXml(shot.font)}">` +
    `<rect width="100%" height="100%" fill="${palette.stage}"/>${parts.join("\n")}</svg>\n`
  );
}
