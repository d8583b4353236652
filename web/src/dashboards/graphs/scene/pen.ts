// What the scene is drawn with: on the screen, or into an SVG file. Coordinates are those of the graph.

export interface TextStyle {
  readonly sizePx: number;
  readonly color: string;
  readonly isBold?: boolean;
  readonly anchor?: "start" | "middle" | "end";
  readonly alpha?: number;
}

export interface Pen {
  /** Pixels of the screen per pixel of the graph. */
  readonly zoom: number;
  begin(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  /** Around a corner. */
  curveTo(cornerX: number, cornerY: number, x: number, y: number): void;
  close(): void;
  box(x: number, y: number, width: number, height: number, radius: number): void;
  circle(x: number, y: number, radius: number): void;
  fill(color: string, alpha?: number): void;
  stroke(color: string, widthPx: number, alpha?: number, dash?: readonly number[]): void;
  /** `y` is the baseline. */
  text(text: string, x: number, y: number, style: TextStyle): void;
}

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export class CanvasPen implements Pen {
  #font = "";

  constructor(
    private readonly ctx: Context,
    readonly zoom: number,
    private readonly family: string,
  ) {
    ctx.lineJoin = "round";
    ctx.lineCap = "round";
  }

  begin(): void {
    this.ctx.beginPath();
  }

  moveTo(x: number, y: number): void {
    this.ctx.moveTo(x, y);
  }

  lineTo(x: number, y: number): void {
    this.ctx.lineTo(x, y);
  }

  curveTo(cornerX: number, cornerY: number, x: number, y: number): void {
    this.ctx.quadraticCurveTo(cornerX, cornerY, x, y);
  }

  close(): void {
    this.ctx.closePath();
  }

  box(x: number, y: number, width: number, height: number, radius: number): void {
    // Rounding costs time, and nobody sees it on a corner of a pixel.
    if (radius * this.zoom < 1.5) this.ctx.rect(x, y, width, height);
    else this.ctx.roundRect(x, y, width, height, radius);
  }

  circle(x: number, y: number, radius: number): void {
    this.ctx.moveTo(x + radius, y);
    this.ctx.arc(x, y, radius, 0, 2 * Math.PI);
  }

  fill(color: string, alpha = 1): void {
    this.ctx.globalAlpha = alpha;
    this.ctx.fillStyle = color;
    this.ctx.fill();
  }

  stroke(color: string, widthPx: number, alpha = 1, dash: readonly number[] = []): void {
    this.ctx.globalAlpha = alpha;
    this.ctx.strokeStyle = color;
    this.ctx.lineWidth = widthPx;
    this.ctx.setLineDash(dash as number[]);
    this.ctx.stroke();
  }

  text(
    text: string,
    x: number,
    y: number,
    { sizePx, color, isBold = false, anchor = "start", alpha = 1 }: TextStyle,
  ): void {
    const font = `${isBold ? 600 : 400} ${sizePx}px ${this.family}`;
    if (font !== this.#font) this.ctx.font = this.#font = font;
    this.ctx.globalAlpha = alpha;
    this.ctx.fillStyle = color;
    this.ctx.textAlign = anchor === "middle" ? "center" : anchor;
    this.ctx.fillText(text, x, y);
  }
}
