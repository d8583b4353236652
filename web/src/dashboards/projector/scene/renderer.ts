// What draws the points of a cloud: on the graphics card, or without one.

import type { View } from "./camera";
import type { Placed } from "./cloud.svelte";
import type { DrawOrder } from "./draw_order";
import type { Palette, PointStyle } from "./palette";

export interface PointFrame {
  readonly view: View;
  /** Device pixels per pixel. */
  readonly ratio: number;
  /** How much of the movement between two sets of places is done. */
  readonly part: number;
  readonly style: PointStyle;
  readonly palette: Palette;
  /** At most so many points, in the order of drawing; the selected ones come always. */
  readonly from: number;
  readonly to: number;
}

export interface PointRenderer {
  setPlaces(placed: Placed): void;
  setOrder(order: DrawOrder): void;
  /** 0xRRGGBB per row; null: all have the accent colour. */
  setColors(colors: Uint32Array | null, accent: number): void;
  setMatches(rows: Int32Array): void;
  setSequences(next: Int32Array | null): void;
  /** With `from` 0 it draws anew, otherwise on top of what is there. */
  draw(frame: PointFrame): void;
  /** The row of the point at these pixels; null: none near. */
  pick(frame: PointFrame, xPx: number, yPx: number, reachPx: number): number | null;
  end(): void;
}
