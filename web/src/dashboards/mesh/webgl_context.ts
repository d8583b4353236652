// The one WebGL context of the page. Browsers keep sixteen and blank the oldest, so cards do not have their own: each
// is drawn here in turn, and what was drawn is handed to its canvas. Knows nothing of meshes.

import { type Camera, ColorManagement, LinearSRGBColorSpace, type Scene, WebGLRenderer } from "three";

// Logged colours are what the screen is to show, not light to be computed with.
ColorManagement.enabled = false;

class Stage {
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
    // The graphics driver may take the context and give it back; what was drawn before is on the cards' own canvases.
    canvas.addEventListener("webglcontextrestored", () => {
      for (const listener of this.#listeners) listener();
    });
  }

  /** Calls back when everything has to be drawn again; returns the function that ends that. */
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

let stage: Stage | null | undefined;

/** Null: this browser has no WebGL, or may not use it. */
export function openStage(): Stage | null {
  if (stage === undefined) {
    const canvas = new OffscreenCanvas(1, 1);
    const context = canvas.getContext("webgl2", { alpha: true, antialias: true });
    stage = context && new Stage(canvas, context);
  }
  return stage;
}
