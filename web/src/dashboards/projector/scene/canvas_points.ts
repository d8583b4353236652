// Draws points on a plain 2-D canvas, for browsers without a graphics card.

import type { Placed } from "./cloud.svelte";
import { type DrawOrder, inOrder, placesInOrder } from "./draw_order";
import { hexNumber } from "./palette";
import { nearestPoint } from "./reach";
import type { PointFrame, PointRenderer } from "./renderer";
import { splat, swapped } from "./splat";

const NO_ROWS: DrawOrder = { rows: new Uint32Array(), greyedEnd: 0, selectedFrom: 0 };

function colorsInOrder(colors: Uint32Array, rows: Uint32Array): Uint32Array {
  const ordered = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) ordered[i] = swapped(colors[rows[i] as number] as number);
  return ordered;
}

export class CanvasPoints implements PointRenderer {
  #placed: Placed | null = null;
  #order = NO_ROWS;
  #colors: Uint32Array | null = null;
  #accent = 0;
  #matches = new Uint32Array();
  #next: Int32Array | null = null;
  /** The same in the order of drawing, made when it is needed. */
  #ordered: { places: Float32Array; starts: Float32Array | null } | null = null;
  #orderedColors: Uint32Array | null = null;

  /** What is on the canvas already stays beneath the points. */
  constructor(private readonly context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D) {}

  setPlaces(placed: Placed): void {
    this.#placed = placed;
    this.#ordered = null;
  }

  setOrder(order: DrawOrder): void {
    this.#order = order;
    this.#ordered = this.#orderedColors = null;
  }

  setColors(colors: Uint32Array | null, accent: number): void {
    this.#colors = colors;
    this.#orderedColors = null;
    this.#accent = accent;
  }

  setMatches(rows: Int32Array): void {
    this.#matches = new Uint32Array(rows);
  }

  setSequences(next: Int32Array | null): void {
    this.#next = next;
  }

  draw({ view, ratio, part, style, palette, from, to }: PointFrame): void {
    const { context } = this;
    const placed = this.#placed;
    const { width, height } = context.canvas;
    if (!placed || width === 0 || height === 0) return;
    this.#drawSequences(placed.positions, view, ratio, to - from);
    const image = context.getImageData(0, 0, width, height);
    const pixels = { data: new Uint32Array(image.data.buffer), width, height };
    const { rows, greyedEnd, selectedFrom } = this.#order;
    const { places, starts } = (this.#ordered ??= {
      places: placesInOrder(placed.positions, rows),
      starts: placed.from && inOrder(placed.from, rows, placed.positions),
    });
    if (this.#colors) this.#orderedColors ??= colorsInOrder(this.#colors, rows);
    const colors = this.#orderedColors;
    const points = { places, starts: part < 1 ? starts : null, part, color: this.#accent };
    splat(pixels, view, ratio, {
      ...points,
      start: from,
      end: Math.min(to, greyedEnd),
      colors: null,
      color: hexNumber(palette.faint),
      radius: style.greyedPx * ratio,
      opacity: style.greyedOpacity,
      ring: 0,
    });
    splat(pixels, view, ratio, {
      ...points,
      start: Math.max(from, greyedEnd),
      end: Math.min(to, selectedFrom),
      colors,
      radius: style.radiusPx * ratio,
      opacity: style.opacity,
      ring: 0,
    });
    splat(pixels, view, ratio, {
      ...points,
      start: selectedFrom,
      end: Math.min(rows.length, selectedFrom + (to - from)),
      colors,
      radius: style.selectedPx * ratio,
      opacity: 1,
      ring: 0,
    });
    splat(pixels, view, ratio, {
      ...points,
      places: inOrder(placed.positions, this.#matches, null),
      starts: part < 1 && placed.from ? inOrder(placed.from, this.#matches, placed.positions) : null,
      start: 0,
      end: this.#matches.length,
      colors: null,
      color: hexNumber(palette.text),
      radius: style.ringPx * ratio,
      opacity: 0.9,
      ring: 1.2 * ratio,
    });
    context.putImageData(image, 0, 0);
  }

  #drawSequences(positions: Float32Array, view: PointFrame["view"], ratio: number, most: number): void {
    const next = this.#next;
    if (!next) return;
    const { context } = this;
    const m = view.matrix;
    const at = (row: number): readonly [number, number] | null => {
      const [x, y, z] = [positions[3 * row], positions[3 * row + 1], positions[3 * row + 2]] as [
        number,
        number,
        number,
      ];
      const along = (k: number): number =>
        (m[k] as number) * x + (m[k + 1] as number) * y + (m[k + 2] as number) * z + (m[k + 3] as number);
      const w = along(8);
      return w > 0 ? [(along(0) / w) * ratio, (along(4) / w) * ratio] : null;
    };
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 0.35;
    context.lineWidth = ratio;
    const { rows, greyedEnd } = this.#order;
    const paths = new Map<number, Path2D>();
    for (let i = greyedEnd; i < Math.min(rows.length, greyedEnd + most); i++) {
      const row = rows[i] as number;
      const to = next[row] as number;
      const [a, b] = to >= 0 ? [at(row), at(to)] : [null, null];
      if (!a || !b) continue;
      const color = this.#colors?.[row] ?? this.#accent;
      let path = paths.get(color);
      if (!path) paths.set(color, (path = new Path2D()));
      path.moveTo(...a);
      path.lineTo(...b);
    }
    for (const [color, path] of paths) {
      context.strokeStyle = `#${color.toString(16).padStart(6, "0")}`;
      context.stroke(path);
    }
    context.restore();
  }

  pick({ view }: PointFrame, x: number, y: number, reachPx: number): number | null {
    const placed = this.#placed;
    if (!placed) return null;
    const { rows, greyedEnd } = this.#order;
    return nearestPoint(view, { places: placesInOrder(placed.positions, rows), rows, greyedEnd }, { x, y }, reachPx);
  }

  end(): void {
    this.#placed = null;
  }
}
