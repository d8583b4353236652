// How wide a text is on the screen, to set the widths of columns before they are drawn.

let context: CanvasRenderingContext2D | null | undefined;
let family = "";
const known = new Map<string, number>();
// Most texts in tooltips and tables repeat; the others must not accumulate.
const MAX_KNOWN = 4_000;

/** In the page's font; an estimate without a canvas. */
export function textWidthPx(text: string, sizePx: number, isBold = false): number {
  const key = `${isBold ? "b" : ""}${sizePx} ${text}`;
  let widthPx = known.get(key);
  if (widthPx === undefined) {
    widthPx = measure(text, sizePx, isBold);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, widthPx);
  }
  return widthPx;
}

function measure(text: string, sizePx: number, isBold: boolean): number {
  if (context === undefined) {
    context = document.createElement("canvas").getContext("2d");
    family = getComputedStyle(document.body).fontFamily;
  }
  if (!context) return text.length * sizePx * 0.6;
  context.font = `${isBold ? 600 : 400} ${sizePx}px ${family}`;
  return Math.ceil(context.measureText(text).width);
}

/** The text with the most letters is the widest to within a few pixels, and a thousand texts need not be measured. */
export function longestOf(texts: Iterable<string>): string {
  let longest = "";
  for (const text of texts) if (text.length > longest.length) longest = text;
  return longest;
}
