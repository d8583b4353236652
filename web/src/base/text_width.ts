// How wide a text will be on screen, so that columns can be given their width before they are drawn.

let context: CanvasRenderingContext2D | null | undefined;
let family = "";
const known = new Map<string, number>();
// Texts in tooltips and tables repeat; those that do not must not pile up.
const MAX_KNOWN = 4_000;

/** In the page's own font. Without a canvas, a guess. */
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

/** The longest text by its letters is the widest but for a few pixels, and a thousand need not be measured. */
export function longestOf(texts: Iterable<string>): string {
  let longest = "";
  for (const text of texts) if (text.length > longest.length) longest = text;
  return longest;
}
