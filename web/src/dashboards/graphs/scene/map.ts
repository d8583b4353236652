// The minimap: boxes alone, and of a very large graph only those that fill at least a part of a pixel.

import type { LevelNode } from "../answer";
import type { NodePaint } from "../graph_state.svelte";
import type { Composed } from "../layout/composed";
import type { Palette } from "./palette";

export interface MapScale {
  readonly zoom: number;
  readonly left: number;
  readonly top: number;
}

interface MapContent {
  readonly picture: Composed;
  readonly nodes: readonly LevelNode[];
  readonly paint: ReadonlyMap<string, NodePaint>;
  readonly matches: ReadonlyMap<string, number>;
  readonly selected: string | null;
}

/** All of it in the middle of the map. */
export function mapScale({ widthPx, heightPx }: Composed, mapWidth: number, mapHeight: number, pad: number): MapScale {
  const zoom = Math.min(
    (mapWidth - 2 * pad) / Math.max(widthPx, 1),
    (mapHeight - 2 * pad) / Math.max(heightPx, 1),
    0.25,
  );
  return { zoom, left: (mapWidth - widthPx * zoom) / 2, top: (mapHeight - heightPx * zoom) / 2 };
}

const MANY = 20_000;

export function drawMap(
  ctx: CanvasRenderingContext2D,
  { picture, nodes, paint, matches, selected }: MapContent,
  { zoom, left, top }: MapScale,
  palette: Palette,
): void {
  const { x, y, width, height, isOpen } = picture;
  // Of a hundred thousand boxes some are enough to see where they are.
  const step = Math.max(1, Math.floor(x.length / MANY));
  const draw = (i: number, least: number): void => {
    ctx.beginPath();
    ctx.rect(
      (x[i] as number) * zoom + left,
      (y[i] as number) * zoom + top,
      Math.max((width[i] as number) * zoom, least),
      Math.max((height[i] as number) * zoom, least),
    );
  };
  for (let i = 0; i < x.length; i++) {
    if (!isOpen[i]) continue;
    draw(i, 1);
    ctx.fillStyle = palette.panels[1];
    ctx.fill();
    ctx.lineWidth = 0.7;
    ctx.strokeStyle = palette.borderStrong;
    ctx.stroke();
  }
  for (let i = 0; i < x.length; i += step) {
    if (isOpen[i]) continue;
    const { id } = nodes[i] as LevelNode;
    const isMarked = id === selected || matches.has(id);
    draw(i, isMarked ? 2.5 : 0.8);
    ctx.fillStyle =
      id === selected
        ? palette.accent
        : matches.has(id)
          ? palette.mark
          : (paint.get(id)?.color ?? palette.borderStrong);
    ctx.fill();
  }
}
