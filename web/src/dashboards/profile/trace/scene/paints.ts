// Colours as the canvas wants them, mixed once: of slices, of blocks of many, and of their stripes.

import { type Colored, colorOf, mix, type Palette, PALETTES, type ColorBy, type Theme } from "../colors";

export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export interface Paint {
  readonly fill: string;
  /** Of a block of many: behind its stripes, and the stripes. */
  readonly pale: string;
  readonly stripe: string;
  readonly full: string;
}

const TILE_PX = 3;

export class Paints {
  readonly palette: Palette;
  readonly #paints = new Map<string, Paint>();
  readonly #stripes = new Map<string, CanvasPattern | null>();
  #hatch: CanvasPattern | null | undefined;

  constructor(
    private readonly theme: Theme,
    private readonly by: ColorBy,
  ) {
    this.palette = PALETTES[theme];
  }

  of(event: Colored): Paint {
    const color = colorOf(event, this.by, this.theme);
    let paint = this.#paints.get(color);
    if (!paint) {
      const { surface, mix: share } = this.palette;
      paint = {
        fill: mix(color, surface, share),
        pale: mix(color, surface, 0.2),
        stripe: mix(color, surface, 0.2 + share * 0.5),
        full: color,
      };
      this.#paints.set(color, paint);
    }
    return paint;
  }

  /** Stripes as dense as the events of a block are busy. */
  stripes(ctx: Context, paint: Paint, share: number): CanvasPattern | null {
    const level = Math.max(1, Math.min(4, Math.round(share * 5)));
    const key = `${paint.full} ${level}`;
    let pattern = this.#stripes.get(key);
    if (pattern === undefined) {
      const tile = makeTile(TILE_PX * 4, 4);
      if (tile) {
        tile.ctx.fillStyle = paint.pale;
        tile.ctx.fillRect(0, 0, TILE_PX * 4, 4);
        tile.ctx.fillStyle = paint.stripe;
        for (let i = 0; i < 4; i++) tile.ctx.fillRect(i * TILE_PX, 0, (TILE_PX * level) / 5, 4);
      }
      this.#stripes.set(key, (pattern = tile && ctx.createPattern(tile.canvas, "repeat")));
    }
    return pattern;
  }

  /** Of idle time. */
  hatch(ctx: Context): CanvasPattern | string {
    if (this.#hatch === undefined) {
      const tile = makeTile(16, 16);
      if (tile) {
        tile.ctx.fillStyle = this.palette.sunken;
        tile.ctx.fillRect(0, 0, 16, 16);
        tile.ctx.strokeStyle = mix(this.palette.faint, this.palette.sunken, 0.5);
        tile.ctx.lineWidth = 2;
        for (const shift of [-16, -8, 0, 8, 16]) {
          tile.ctx.beginPath();
          tile.ctx.moveTo(shift - 2, 18);
          tile.ctx.lineTo(shift + 18, -2);
          tile.ctx.stroke();
        }
      }
      this.#hatch = tile && ctx.createPattern(tile.canvas, "repeat");
    }
    return this.#hatch ?? this.palette.sunken;
  }
}

function makeTile(width: number, height: number): { canvas: OffscreenCanvas | HTMLCanvasElement; ctx: Context } | null {
  const canvas =
    typeof OffscreenCanvas === "function" ? new OffscreenCanvas(width, height) : document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const ctx = canvas.getContext("2d") as Context | null;
  return ctx && { canvas, ctx };
}
