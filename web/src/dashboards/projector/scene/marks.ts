// Lines, circles and texts over the points, as data: a canvas paints them, and a file has them as SVG.

export type Mark =
  | {
      readonly kind: "line";
      /** x, y, x, y, … in pixels. */
      readonly at: ArrayLike<number>;
      readonly color: string;
      readonly widthPx: number;
      readonly opacity: number;
      readonly dash?: readonly number[];
      readonly isClosed?: boolean;
      /** Of the area inside. */
      readonly fillOpacity?: number;
    }
  | {
      readonly kind: "circle";
      readonly x: number;
      readonly y: number;
      readonly radiusPx: number;
      readonly fill: string | null;
      readonly stroke: string | null;
      readonly widthPx: number;
      readonly opacity?: number;
    }
  | {
      readonly kind: "text";
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly sizePx: number;
      readonly isBold: boolean;
      readonly color: string;
      readonly align: "left" | "right" | "center";
    };

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** `halo`: the colour around texts, so that they can be read over points. */
export function paintMarks(ctx: Context, marks: readonly Mark[], font: string, halo: string): void {
  ctx.lineJoin = "round";
  ctx.lineCap = "round";
  for (const mark of marks) {
    if (mark.kind === "text") {
      ctx.globalAlpha = 1;
      ctx.font = `${mark.isBold ? "600 " : ""}${mark.sizePx}px ${font}`;
      ctx.textAlign = mark.align;
      ctx.strokeStyle = halo;
      ctx.lineWidth = 4;
      ctx.strokeText(mark.text, mark.x, mark.y);
      ctx.fillStyle = mark.color;
      ctx.fillText(mark.text, mark.x, mark.y);
      continue;
    }
    ctx.beginPath();
    ctx.globalAlpha = mark.opacity ?? 1;
    if (mark.kind === "circle") {
      ctx.arc(mark.x, mark.y, mark.radiusPx, 0, 2 * Math.PI);
      if (mark.fill) {
        ctx.fillStyle = mark.fill;
        ctx.fill();
      }
      if (mark.stroke) {
        ctx.strokeStyle = mark.stroke;
        ctx.lineWidth = mark.widthPx;
        ctx.stroke();
      }
      continue;
    }
    const { at } = mark;
    ctx.moveTo(at[0] as number, at[1] as number);
    for (let i = 2; i < at.length; i += 2) ctx.lineTo(at[i] as number, at[i + 1] as number);
    if (mark.isClosed) ctx.closePath();
    if (mark.fillOpacity) {
      ctx.globalAlpha = mark.fillOpacity;
      ctx.fillStyle = mark.color;
      ctx.fill();
      ctx.globalAlpha = mark.opacity;
    }
    ctx.strokeStyle = mark.color;
    ctx.lineWidth = mark.widthPx;
    ctx.setLineDash(mark.dash ? [...mark.dash] : []);
    ctx.stroke();
    if (mark.dash) ctx.setLineDash([]);
  }
  ctx.globalAlpha = 1;
}

const round = (value: number): number => Math.round(value * 100) / 100;
export const escapeXml = (text: string): string =>
  text
    // A file with other control characters cannot be opened.
    // eslint-disable-next-line no-control-regex
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, "")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");

const ANCHORS = { left: "start", right: "end", center: "middle" } as const;

export function markToSvg(mark: Mark, halo: string): string {
  if (mark.kind === "text")
    return (
      `<text x="${round(mark.x)}" y="${round(mark.y)}" font-size="${mark.sizePx}" fill="${mark.color}" ` +
      `text-anchor="${ANCHORS[mark.align]}"${mark.isBold ? ' font-weight="600"' : ""} paint-order="stroke" ` +
      `stroke="${halo}" stroke-width="4" stroke-linejoin="round">${escapeXml(mark.text)}</text>`
    );
  const opacity = mark.opacity === undefined || mark.opacity === 1 ? "" : ` opacity="${round(mark.opacity)}"`;
  if (mark.kind === "circle")
    return (
      `<circle cx="${round(mark.x)}" cy="${round(mark.y)}" r="${round(mark.radiusPx)}" fill="${mark.fill ?? "none"}"` +
      `${mark.stroke ? ` stroke="${mark.stroke}" stroke-width="${round(mark.widthPx)}"` : ""}${opacity}/>`
    );
  let path = "";
  for (let i = 0; i < mark.at.length; i += 2)
    path += `${i === 0 ? "M" : "L"}${round(mark.at[i] as number)} ${round(mark.at[i + 1] as number)}`;
  return (
    `<path d="${path}${mark.isClosed ? "Z" : ""}" stroke="${mark.color}" stroke-width="${round(mark.widthPx)}"` +
    ` fill="${mark.fillOpacity ? mark.color : "none"}"${mark.fillOpacity ? ` fill-opacity="${mark.fillOpacity}"` : ""}` +
    `${mark.dash ? ` stroke-dasharray="${mark.dash.join(" ")}"` : ""}${opacity}/>`
  );
}
