// Where a picture lies in the box that shows it: fitted, at its own size, zoomed and moved. Pure; all of it in CSS
// pixels.

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** How far into a picture one looks. It means the same in boxes and pictures of any size. */
export interface Zoom {
  /** 1: the picture fits its box, or is at its own size. */
  readonly factor: number;
  /** The point in the middle of the box, in parts of the picture's width and height. */
  readonly x: number;
  readonly y: number;
}

export interface Placement {
  /** CSS pixels for a pixel of the picture. */
  readonly scale: number;
  /** Of the picture's corner, within the box; negative where it reaches beyond it. */
  readonly leftPx: number;
  readonly topPx: number;
  /** The part that can be seen, within the box ... */
  readonly seen: {
    readonly leftPx: number;
    readonly topPx: number;
    readonly widthPx: number;
    readonly heightPx: number;
  };
  /** ... and which pixels of the picture those are. */
  readonly source: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

export const WHOLE: Zoom = { factor: 1, x: 0.5, y: 0.5 };
// Larger than this, a pixel says no more.
const MAX_SCALE = 128;

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

const fitScale = (box: Size, picture: Size): number => Math.min(box.width / picture.width, box.height / picture.height);

export function place(box: Size, picture: Size, zoom: Zoom, isActualSize: boolean): Placement {
  const scale = (isActualSize ? 1 : fitScale(box, picture)) * zoom.factor;
  const leftPx = cornerOf(box.width, picture.width * scale, zoom.x);
  const topPx = cornerOf(box.height, picture.height * scale, zoom.y);
  const seenLeft = Math.max(0, leftPx);
  const seenTop = Math.max(0, topPx);
  const widthPx = Math.min(box.width, leftPx + picture.width * scale) - seenLeft;
  const heightPx = Math.min(box.height, topPx + picture.height * scale) - seenTop;
  return {
    scale,
    leftPx,
    topPx,
    seen: { leftPx: seenLeft, topPx: seenTop, widthPx, heightPx },
    source: {
      x: (seenLeft - leftPx) / scale,
      y: (seenTop - topPx) / scale,
      width: widthPx / scale,
      height: heightPx / scale,
    },
  };
}

/** A picture smaller than its box stands in the middle; a larger one leaves no edge free. */
function cornerOf(boxPx: number, picturePx: number, middle: number): number {
  if (picturePx <= boxPx) return (boxPx - picturePx) / 2;
  return clamp(boxPx / 2 - middle * picturePx, boxPx - picturePx, 0);
}

/** The point of the picture in the middle of its box, as it is placed: never beyond what can be reached. */
function middleOf(box: Size, picture: Size, { scale, leftPx, topPx }: Placement): { x: number; y: number } {
  return {
    x: (box.width / 2 - leftPx) / (picture.width * scale),
    y: (box.height / 2 - topPx) / (picture.height * scale),
  };
}

/** Closer by `ratio`; what is under the point stays there. Zooming out ends where all of the picture is seen. */
export function zoomAt(
  box: Size,
  picture: Size,
  zoom: Zoom,
  isActualSize: boolean,
  ratio: number,
  xPx: number,
  yPx: number,
): Zoom {
  const before = place(box, picture, zoom, isActualSize);
  const base = before.scale / zoom.factor;
  const factor = clamp(zoom.factor * ratio, Math.min(1, fitScale(box, picture) / base), Math.max(1, MAX_SCALE / base));
  const scale = base * factor;
  const under = { x: (xPx - before.leftPx) / before.scale, y: (yPx - before.topPx) / before.scale };
  const wanted = {
    factor,
    x: (under.x + (box.width / 2 - xPx) / scale) / picture.width,
    y: (under.y + (box.height / 2 - yPx) / scale) / picture.height,
  };
  return { factor, ...middleOf(box, picture, place(box, picture, wanted, isActualSize)) };
}

export function panBy(box: Size, picture: Size, zoom: Zoom, isActualSize: boolean, xPx: number, yPx: number): Zoom {
  const now = place(box, picture, zoom, isActualSize);
  const middle = middleOf(box, picture, now);
  const wanted = {
    factor: zoom.factor,
    x: middle.x - xPx / (picture.width * now.scale),
    y: middle.y - yPx / (picture.height * now.scale),
  };
  return { factor: zoom.factor, ...middleOf(box, picture, place(box, picture, wanted, isActualSize)) };
}

/** Which pixel of the picture lies under a point of the box; null: none. */
export function pixelAt(
  placement: Placement,
  picture: Size,
  xPx: number,
  yPx: number,
): { x: number; y: number } | null {
  const x = Math.floor((xPx - placement.leftPx) / placement.scale);
  const y = Math.floor((yPx - placement.topPx) / placement.scale);
  return x >= 0 && y >= 0 && x < picture.width && y < picture.height ? { x, y } : null;
}

export function writeZoom({ factor, x, y }: Zoom): string {
  return [factor, x, y].map((part) => Number(part.toPrecision(5))).join(",");
}

/** What cannot be understood is the whole picture. */
export function readZoom(text: string): Zoom {
  const [factor = NaN, x = NaN, y = NaN] = text.split(",").map(Number);
  return factor > 0 && Number.isFinite(factor + x + y) ? { factor, x, y } : WHOLE;
}
