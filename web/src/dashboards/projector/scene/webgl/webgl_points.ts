// Draws points on the graphics card, by WebGL 2: places, colours and the order of drawing stay there between frames.

import type { View } from "../camera";
import type { Placed } from "../cloud.svelte";
import type { DrawOrder } from "../draw_order";
import { hexNumber } from "../palette";
import type { PointFrame, PointRenderer } from "../renderer";
import { LINE_FRAGMENT, LINE_VERTEX, POINT_FRAGMENT, POINT_VERTEX } from "./shaders";

const NO_ROWS: DrawOrder = { rows: new Uint32Array(), greyedEnd: 0, selectedFrom: 0 };
/** A point that is hard to hit is larger while it is looked for. */
const LEAST_PICK_PX = 2.5;

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Null: there is no WebGL 2, or the browser only simulates a graphics card, which is slower than doing without. */
export function openContext(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  isForced = false,
): WebGL2RenderingContext | null {
  const gl = canvas.getContext("webgl2", {
    alpha: true,
    antialias: false,
    depth: true,
    // A picture is drawn in parts, over several frames.
    preserveDrawingBuffer: true,
    failIfMajorPerformanceCaveat: !isForced,
  }) as WebGL2RenderingContext | null;
  if (!gl || isForced) return gl;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  if (!SOFTWARE.test(name)) return gl;
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return null;
}

interface Program {
  readonly program: WebGLProgram;
  readonly at: (name: string) => WebGLUniformLocation | null;
}

export class WebGlPoints implements PointRenderer {
  readonly #points: Program;
  readonly #lines: Program;
  readonly #array: WebGLVertexArrayObject;
  readonly #places: WebGLBuffer;
  readonly #starts: WebGLBuffer;
  readonly #colors: WebGLBuffer;
  readonly #orderBuffer: WebGLBuffer;
  readonly #matchBuffer: WebGLBuffer;
  readonly #lineBuffer: WebGLBuffer;
  #order = NO_ROWS;
  #count = 0;
  #hasColors = false;
  #accent = 0;
  #matches = 0;
  #lineEnds = 0;
  #pickFrame: { frame: WebGLFramebuffer; parts: WebGLRenderbuffer[]; size: number } | null = null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.#points = this.#link(POINT_VERTEX, POINT_FRAGMENT);
    this.#lines = this.#link(LINE_VERTEX, LINE_FRAGMENT);
    const [places, starts, colors, order, matches, lines] = Array.from({ length: 6 }, () => gl.createBuffer());
    this.#places = places as WebGLBuffer;
    this.#starts = starts as WebGLBuffer;
    this.#colors = colors as WebGLBuffer;
    this.#orderBuffer = order as WebGLBuffer;
    this.#matchBuffer = matches as WebGLBuffer;
    this.#lineBuffer = lines as WebGLBuffer;
    this.#array = gl.createVertexArray();
    gl.bindVertexArray(this.#array);
    const attribute = (buffer: WebGLBuffer, location: number, size: number, type: number, isNormal: boolean): void => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, type, isNormal, 0, 0);
    };
    attribute(this.#places, 0, 3, gl.FLOAT, false);
    attribute(this.#starts, 1, 3, gl.FLOAT, false);
    attribute(this.#colors, 2, 4, gl.UNSIGNED_BYTE, true);
  }

  #link(vertex: string, fragment: string): Program {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, source] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(kind);
      if (!shader) throw new Error("The graphics card is gone.");
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(`The graphics card refused: ${gl.getProgramInfoLog(program) ?? ""}`);
    const known = new Map<string, WebGLUniformLocation | null>();
    return {
      program,
      at: (name) => {
        if (!known.has(name)) known.set(name, gl.getUniformLocation(program, name));
        return known.get(name) as WebGLUniformLocation | null;
      },
    };
  }

  #fill(target: number, buffer: WebGLBuffer, data: ArrayBufferView<ArrayBuffer>): void {
    const { gl } = this;
    // Which rows are drawn must not become part of the attributes.
    gl.bindVertexArray(null);
    gl.bindBuffer(target, buffer);
    gl.bufferData(target, data, gl.DYNAMIC_DRAW);
  }

  setPlaces({ positions, from }: Placed): void {
    const { gl } = this;
    this.#count = positions.length / 3;
    const places = positions as Float32Array<ArrayBuffer>;
    this.#fill(gl.ARRAY_BUFFER, this.#places, places);
    // A point that had no place appears where it belongs.
    const starts = from ? from.map((value, i) => (value === value ? value : (positions[i] as number))) : places;
    this.#fill(gl.ARRAY_BUFFER, this.#starts, starts);
    if (!this.#hasColors) this.setColors(null, this.#accent);
  }

  setOrder(order: DrawOrder): void {
    this.#order = order;
    this.#fill(this.gl.ELEMENT_ARRAY_BUFFER, this.#orderBuffer, order.rows as Uint32Array<ArrayBuffer>);
  }

  setColors(colors: Uint32Array | null, accent: number): void {
    this.#accent = accent;
    this.#hasColors = colors !== null;
    const bytes = new Uint8Array(4 * Math.max(this.#count, colors?.length ?? 0));
    for (let row = 0; row < bytes.length / 4; row++) {
      const color = colors ? (colors[row] as number) : accent;
      bytes[4 * row] = color >> 16;
      bytes[4 * row + 1] = color >> 8;
      bytes[4 * row + 2] = color;
      bytes[4 * row + 3] = 255;
    }
    this.#fill(this.gl.ARRAY_BUFFER, this.#colors, bytes);
  }

  setMatches(rows: Int32Array): void {
    this.#matches = rows.length;
    this.#fill(this.gl.ELEMENT_ARRAY_BUFFER, this.#matchBuffer, new Uint32Array(rows));
  }

  setSequences(next: Int32Array | null): void {
    const ends: number[] = [];
    next?.forEach((to, row) => to >= 0 && ends.push(row, to));
    this.#lineEnds = ends.length;
    this.#fill(this.gl.ELEMENT_ARRAY_BUFFER, this.#lineBuffer, Uint32Array.from(ends));
  }

  draw(frame: PointFrame): void {
    const { gl } = this;
    const { view, ratio, style, palette, from, to } = frame;
    const { greyedEnd, selectedFrom, rows } = this.#order;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const isDeep = view.dimensions === 3;
    if (isDeep) gl.enable(gl.DEPTH_TEST);
    else gl.disable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    if (from === 0) {
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      this.#drawLines(frame);
    }
    this.#use(this.#points, frame);
    gl.uniform1i(this.#points.at("isPicking"), 0);
    const range = (start: number, end: number, radiusPx: number, opacity: number, paint: string | null): void => {
      if (end <= start) return;
      this.#dots(radiusPx * ratio, 0, opacity, paint);
      gl.drawElements(gl.POINTS, end - start, gl.UNSIGNED_INT, 4 * start);
    };
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#orderBuffer);
    range(from, Math.min(to, greyedEnd), style.greyedPx, style.greyedOpacity, palette.faint);
    // A point that lets others through hides what is behind it all the same: in 3-D, points are opaque.
    const opacity = isDeep ? 1 : style.opacity;
    range(Math.max(from, greyedEnd), Math.min(to, selectedFrom), style.radiusPx, opacity, null);
    range(selectedFrom, Math.min(rows.length, selectedFrom + to - from), style.selectedPx, 1, null);
    if (this.#matches > 0) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#matchBuffer);
      this.#dots(style.ringPx * ratio, 1.2 * ratio, 0.9, palette.text);
      gl.drawElements(gl.POINTS, this.#matches, gl.UNSIGNED_INT, 0);
    }
  }

  #drawLines(frame: PointFrame): void {
    const { gl } = this;
    if (this.#lineEnds === 0) return;
    this.#use(this.#lines, frame);
    gl.uniform1f(this.#lines.at("opacity"), 0.35);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#lineBuffer);
    gl.depthMask(false);
    gl.drawElements(gl.LINES, this.#lineEnds, gl.UNSIGNED_INT, 0);
    gl.depthMask(true);
  }

  #dots(radius: number, ring: number, opacity: number, paint: string | null): void {
    const { gl } = this;
    const { at } = this.#points;
    gl.uniform1f(at("radius"), radius);
    gl.uniform1f(at("ring"), ring);
    gl.uniform1f(at("opacity"), opacity);
    const color = paint === null ? 0 : hexNumber(paint);
    gl.uniform4f(
      at("paint"),
      (color >> 16) / 255,
      ((color >> 8) & 255) / 255,
      (color & 255) / 255,
      paint === null ? 0 : 1,
    );
  }

  #use({ program, at }: Program, { view, part }: PointFrame): void {
    const { gl } = this;
    gl.useProgram(program);
    gl.bindVertexArray(this.#array);
    const { x, y, z } = view.camera;
    const target = view.dimensions === 3 ? [x, y, z] : [x, y, 0];
    gl.uniform3f(at("target"), target[0] as number, target[1] as number, target[2] as number);
    for (const [name, start] of [
      ["alongX", 0],
      ["alongY", 4],
      ["alongW", 8],
    ] as const)
      gl.uniform4fv(at(name), relativeTo(view, target, start));
    gl.uniform2f(at("sizePx"), view.widthPx, view.heightPx);
    gl.uniform1f(at("part"), part);
    gl.uniform1f(at("distance"), view.distance);
    gl.uniform1f(at("nearest"), view.distance * 0.02);
    gl.uniform1f(at("farthest"), view.distance * 3 + 2);
    gl.uniform1i(at("isDeep"), view.dimensions === 3 ? 1 : 0);
  }

  /** Draws the rows themselves around the pointer, and reads which one is nearest. */
  pick(frame: PointFrame, xPx: number, yPx: number, reachPx: number): number | null {
    const { gl } = this;
    const { ratio, style } = frame;
    const reach = Math.ceil(reachPx * ratio);
    const size = 2 * reach + 1;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#pickInto(size));
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    gl.viewport(reach - Math.round(xPx * ratio), reach - (height - Math.round(yPx * ratio)), width, height);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.#use(this.#points, { ...frame, part: 1 });
    gl.uniform1i(this.#points.at("isPicking"), 1);
    this.#dots(Math.max(style.radiusPx, LEAST_PICK_PX) * ratio, 0, 1, null);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#orderBuffer);
    const { rows, greyedEnd } = this.#order;
    gl.drawElements(gl.POINTS, rows.length - greyedEnd, gl.UNSIGNED_INT, 4 * greyedEnd);
    const pixels = new Uint8Array(4 * size * size);
    gl.readPixels(0, 0, size, size, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const ids = new Uint32Array(pixels.buffer);
    let [best, bestFar] = [0, Infinity];
    ids.forEach((id, i) => {
      if (id === 0) return;
      const far = Math.hypot((i % size) - reach, Math.floor(i / size) - reach);
      if (far < bestFar) [best, bestFar] = [id, far];
    });
    return best === 0 ? null : best - 1;
  }

  #pickInto(size: number): WebGLFramebuffer {
    const { gl } = this;
    if (this.#pickFrame?.size === size) return this.#pickFrame.frame;
    this.#dropPickFrame();
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    const parts = (
      [
        [gl.RGBA8, gl.COLOR_ATTACHMENT0],
        [gl.DEPTH_COMPONENT16, gl.DEPTH_ATTACHMENT],
      ] as const
    ).map(([format, place]) => {
      const part = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, part);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, size, size);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, part);
      return part;
    });
    this.#pickFrame = { frame, parts, size };
    return frame;
  }

  #dropPickFrame(): void {
    if (!this.#pickFrame) return;
    this.gl.deleteFramebuffer(this.#pickFrame.frame);
    for (const part of this.#pickFrame.parts) this.gl.deleteRenderbuffer(part);
    this.#pickFrame = null;
  }

  end(): void {
    const { gl } = this;
    this.#dropPickFrame();
    for (const buffer of [
      this.#places,
      this.#starts,
      this.#colors,
      this.#orderBuffer,
      this.#matchBuffer,
      this.#lineBuffer,
    ])
      gl.deleteBuffer(buffer);
    gl.deleteVertexArray(this.#array);
    gl.deleteProgram(this.#points.program);
    gl.deleteProgram(this.#lines.program);
    // Browsers keep few contexts, and blank the oldest.
    gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/** A row of the view's matrix for places relative to the target. */
function relativeTo({ matrix }: View, target: readonly number[], start: number): Float32Array {
  const row = matrix.subarray(start, start + 4);
  let rest = row[3] as number;
  for (let axis = 0; axis < 3; axis++) rest += (row[axis] as number) * (target[axis] as number);
  return Float32Array.of(row[0] as number, row[1] as number, row[2] as number, rest);
}
