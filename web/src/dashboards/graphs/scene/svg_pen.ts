// Draws into the text of an SVG file.

import type { Pen, TextStyle } from "./pen";

const round = (value: number): number => Math.round(value * 10) / 10;

export class SvgPen implements Pen {
  readonly zoom = 1;
  readonly shapes: string[] = [];
  #path = "";

  begin(): void {
    this.#path = "";
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `L${round(x)} ${round(y)}`;
  }

  curveTo(cornerX: number, cornerY: number, x: number, y: number): void {
    this.#path += `Q${round(cornerX)} ${round(cornerY)} ${round(x)} ${round(y)}`;
  }

  close(): void {
    this.#path += "Z";
  }

  box(x: number, y: number, width: number, height: number, radius: number): void {
    const r = Math.min(radius, width / 2, height / 2);
    const arc = (dx: number, dy: number): string => `a${round(r)} ${round(r)} 0 0 1 ${round(dx)} ${round(dy)}`;
    this.#path +=
      `M${round(x + r)} ${round(y)}h${round(width - 2 * r)}${arc(r, r)}v${round(height - 2 * r)}${arc(-r, r)}` +
      `h${round(2 * r - width)}${arc(-r, -r)}v${round(2 * r - height)}${arc(r, -r)}z`;
  }

  circle(x: number, y: number, radius: number): void {
    const r = round(radius);
    this.#path += `M${round(x - radius)} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }

  fill(color: string, alpha = 1): void {
    if (this.#path) this.shapes.push(`<path d="${this.#path}" fill="${escape(color)}"${opacity("fill", alpha)}/>`);
  }

  stroke(color: string, widthPx: number, alpha = 1, dash: readonly number[] = []): void {
    if (!this.#path) return;
    const dashes = dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    this.shapes.push(
      `<path d="${this.#path}" fill="none" stroke="${escape(color)}" stroke-width="${round(widthPx)}"${opacity("stroke", alpha)}${dashes}/>`,
    );
  }

  text(text: string, x: number, y: number, style: TextStyle): void {
    const { sizePx, color, isBold = false, anchor = "start", alpha = 1 } = style;
    const weight = isBold ? ' font-weight="600"' : "";
    const end = anchor === "start" ? "" : ` text-anchor="${anchor}"`;
    this.shapes.push(
      `<text x="${round(x)}" y="${round(y)}" font-size="${sizePx}" fill="${escape(color)}"${end}${weight}${opacity("fill", alpha)}>${escape(text)}</text>`,
    );
  }
}

const opacity = (of: "fill" | "stroke", alpha: number): string =>
  alpha === 1 ? "" : ` ${of}-opacity="${round(alpha)}"`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Names of nodes can contain anything; XML does not allow control characters. */
export function escape(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
      .replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string)
  );
}
