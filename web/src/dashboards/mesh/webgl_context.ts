// The one WebGL context of the page. Browsers keep sixteen and blank the oldest, so cards share it: it draws each in
// turn and hands the bitmap to the canvas of the card. Knows nothing of meshes.

import { type Camera, ColorManagement, LinearSRGBColorSpace, type Scene, WebGLRenderer } from "three";

// Logged colours are screen colours, not linear light.
ColorManagement.enabled = false;

class WebGl {
  readonly #renderer: WebGLRenderer;
  readonly #listeners = new Set<() => void>();
  #size = "";

  constructor(
    private readonly canvas: OffscreenCanvas,
    context: WebGL2RenderingContext,
  ) {
    this.#renderer = new WebGLRenderer({ canvas, context, alpha: true });
    this.#renderer.outputColorSpace = LinearSRGBColorSpace;
    this.#renderer.setClearColor(0, 0);
    // The driver may drop and restore the context; what is drawn stays on the canvases of the cards.
    canvas.addEventListener("webglcontextrestored", () => {
      for (const listener of this.#listeners) listener();
    });
  }

  /** Calls back when everything has to be drawn again. Returns the function that unsubscribes. */
  onrestored(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  draw(
    scene: Scene,
    camera: Camera,
    target: ImageBitmapRenderingContext,
    widthPx: number,
    heightPx: number,
    pixelRatio: number,
  ): void {
    const size = `${widthPx} ${heightPx} ${pixelRatio}`;
    if (size !== this.#size) {
      this.#size = size;
      this.#renderer.setPixelRatio(pixelRatio);
      this.#renderer.setSize(widthPx, heightPx, false);
    }
    this.#renderer.render(scene, camera);
    target.transferFromImageBitmap(this.canvas.transferToImageBitmap());
  }
}

let webGl: WebGl | null | undefined;

/** Null: no WebGL in this browser. */
export function openWebGl(): WebGl | null {
  if (webGl === undefined) {
    const canvas = new OffscreenCanvas(1, 1);
    const context = canvas.getContext("webgl2", { alpha: true, antialias: true });
    webGl = context && new WebGl(canvas, context);
  }
  return webGl;
}
