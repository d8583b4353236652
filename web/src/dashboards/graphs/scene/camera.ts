// Where the scene looks at: the point of the graph in its middle, and how large it is drawn.

export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Viewport {
  readonly widthPx: number;
  readonly heightPx: number;
}

export const MIN_ZOOM = 0.005;
export const MAX_ZOOM = 3;
const MARGIN_PX = 24;
/** A graph that needs no more is shown in its own size. */
const FIT_ZOOM = 1;
/** The controls in the lower corners: how far they reach inwards, and upwards. */
const CONTROLS: Viewport = { widthPx: 200, heightPx: 52 };

const limited = (zoom: number): number => Math.min(Math.max(zoom, MIN_ZOOM), MAX_ZOOM);

export const toScreen = (camera: Camera, { widthPx, heightPx }: Viewport, { x, y }: Point): Point => ({
  x: (x - camera.x) * camera.zoom + widthPx / 2,
  y: (y - camera.y) * camera.zoom + heightPx / 2,
});

export const toGraph = (camera: Camera, { widthPx, heightPx }: Viewport, { x, y }: Point): Point => ({
  x: (x - widthPx / 2) / camera.zoom + camera.x,
  y: (y - heightPx / 2) / camera.zoom + camera.y,
});

/** All of a picture in view, and nothing of it under the controls. */
export function fitCamera(picture: Viewport, viewport: Viewport, maxZoom = FIT_ZOOM): Camera {
  const camera = fitAbove(0, picture, viewport, maxZoom);
  const besidePx = (viewport.widthPx - picture.widthPx * camera.zoom) / 2;
  const belowPx = (viewport.heightPx - picture.heightPx * camera.zoom) / 2;
  if (besidePx >= CONTROLS.widthPx || belowPx >= CONTROLS.heightPx) return camera;
  return fitAbove(CONTROLS.heightPx - MARGIN_PX, picture, viewport, maxZoom);
}

function fitAbove(belowPx: number, picture: Viewport, viewport: Viewport, maxZoom: number): Camera {
  const zoom = limited(
    Math.min(
      (viewport.widthPx - 2 * MARGIN_PX) / Math.max(picture.widthPx, 1),
      (viewport.heightPx - 2 * MARGIN_PX - belowPx) / Math.max(picture.heightPx, 1),
      maxZoom,
    ),
  );
  return { x: picture.widthPx / 2, y: picture.heightPx / 2 + belowPx / 2 / zoom, zoom };
}

/** What was at one point of the graph and is now at another stays where it is on the screen. */
export const keepPoint = (camera: Camera, before: Point, after: Point): Camera => ({
  ...camera,
  x: camera.x + after.x - before.x,
  y: camera.y + after.y - before.y,
});

export const pan = (camera: Camera, dxPx: number, dyPx: number): Camera => ({
  ...camera,
  x: camera.x - dxPx / camera.zoom,
  y: camera.y - dyPx / camera.zoom,
});

/** What is under a point of the screen stays there. */
export function zoomAt(camera: Camera, viewport: Viewport, at: Point, factor: number): Camera {
  const zoom = limited(camera.zoom * factor);
  const fixed = toGraph(camera, viewport, at);
  return {
    x: fixed.x - (at.x - viewport.widthPx / 2) / zoom,
    y: fixed.y - (at.y - viewport.heightPx / 2) / zoom,
    zoom,
  };
}

/** Moves no more than needed to have a box in view, and to be able to read it. */
export function keepInView(
  camera: Camera,
  box: Point & { readonly width: number; readonly height: number },
  viewport: Viewport,
): Camera {
  const isReadable = camera.zoom >= READABLE_ZOOM;
  const zoom = isReadable ? camera.zoom : READABLE_ZOOM;
  const from = isReadable ? camera : { x: box.x + box.width / 2, y: box.y + box.height / 2, zoom };
  const along = (at: number, low: number, size: number, viewPx: number): number => {
    const half = viewPx / 2 / zoom - MARGIN_PX / zoom;
    if (size > 2 * half) return low + half;
    return Math.min(Math.max(at, low + size - half), low + half);
  };
  return {
    x: along(from.x, box.x, box.width, viewport.widthPx),
    y: along(from.y, box.y, box.height, viewport.heightPx),
    zoom,
  };
}

export const READABLE_ZOOM = 0.6;
