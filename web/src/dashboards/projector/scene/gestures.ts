// What pointers, the wheel and keys do to a cloud: move the camera, pick a point, draw an area that selects.

import { wheelFactor } from "../../../base/wheel";
import { type Camera, orbit, pan, project, type Vector, zoomAt } from "./camera";
import type { Cloud, SelectHow } from "./cloud.svelte";
import type { Area } from "./overlay";
import { type At, ballRadius, boxAround, pointsInBall, pointsInside } from "./reach";
import type { Stage } from "./stage.svelte";

/** A shorter movement is a click. */
const DRAG_PX = 4;
const REACH_PX = 8;
/** A finger is less precise. */
const TOUCH_REACH_PX = 18;
/** Corners of a lasso that are closer than this are one. */
const LASSO_PX = 3;
const MOVED_MS = 250;
const KEY_PX = 60;

type AreaDrag =
  | { readonly kind: "lasso"; readonly line: At[]; readonly how: SelectHow }
  | { readonly kind: "box"; readonly from: At; readonly how: SelectHow }
  | { readonly kind: "ball"; readonly center: Vector; readonly how: SelectHow };
type Drag = { readonly kind: "pan" } | { readonly kind: "orbit" } | AreaDrag;

interface Press {
  readonly at: At;
  readonly isTouch: boolean;
  readonly button: number;
  readonly keys: { readonly shiftKey: boolean; readonly ctrlKey: boolean; readonly altKey: boolean };
}

export class Gestures {
  readonly #pointers = new Map<number, At>();
  #press: Press | null = null;
  #drag: Drag | null = null;
  #hoverFrame = 0;
  #pointer: At | null = null;
  #told: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly root: HTMLElement,
    private readonly cloud: Cloud,
    private readonly stage: () => Stage | null,
    private readonly onchange: (state: { isDragging: boolean; pointer: At | null }) => void,
  ) {}

  listen(): () => void {
    const stop = new AbortController();
    const { signal } = stop;
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      listener: (event: HTMLElementEventMap[K]) => void,
    ): void => this.root.addEventListener(name, listener, { signal, passive: false });
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", (event) => this.#cancel(event));
    on("pointerleave", () => this.#leave());
    on("wheel", (event) => this.#wheel(event));
    on("dblclick", (event) => this.#doubleClick(event));
    on("contextmenu", (event) => event.preventDefault());
    on("keydown", (event) => this.#key(event));
    return () => {
      stop.abort();
      cancelAnimationFrame(this.#hoverFrame);
      clearTimeout(this.#told);
    };
  }

  #locate(event: { clientX: number; clientY: number }): At {
    const { left, top } = this.root.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  /** By the user's hand. */
  #moveTo(camera: Camera): void {
    const { cloud } = this;
    cloud.isRotating = false;
    cloud.move(camera);
    clearTimeout(this.#told);
    this.#told = setTimeout(() => cloud.oncamera?.(cloud.camera), MOVED_MS);
  }

  #down(event: PointerEvent): void {
    const isOwn = event.target === this.root || (event.target as Element).tagName === "CANVAS";
    if (!isOwn || event.button > 2) return;
    this.root.setPointerCapture(event.pointerId);
    const at = this.#locate(event);
    this.#pointers.set(event.pointerId, at);
    const isTouch = event.pointerType === "touch";
    this.#hover(null);
    if (this.#pointers.size === 1) {
      const { shiftKey, altKey } = event;
      const keys = { shiftKey, altKey, ctrlKey: event.ctrlKey || event.metaKey };
      this.#press = { at, isTouch, button: event.button, keys };
      this.#drag = null;
      return;
    }
    // Two fingers move and zoom, whatever the first one began.
    if (this.#drag && this.#drag.kind !== "pan" && this.#drag.kind !== "orbit") this.stage()?.showArea(null);
    this.#press = null;
    this.#drag = { kind: "pan" };
    this.#hold(true);
  }

  /** While it is held, the rest of the points can wait. */
  #hold(isHeld: boolean): void {
    const stage = this.stage();
    if (stage) stage.isHeld = isHeld;
  }

  /** What a drag that begins with this press does. */
  #begin({ at, button, keys }: Press): Drag {
    const { tool, dimensions } = this.cloud;
    const how = { add: keys.shiftKey, subtract: keys.altKey };
    if (button !== 0) return { kind: "pan" };
    if (tool === "point") {
      if (keys.shiftKey) return { kind: "box", from: at, how: { add: true, subtract: false } };
      return { kind: dimensions === 3 && !keys.ctrlKey ? "orbit" : "pan" };
    }
    if (tool === "lasso") return { kind: "lasso", line: [at], how };
    if (tool === "box") return { kind: "box", from: at, how };
    const row = this.stage()?.pick(at.x, at.y, TOUCH_REACH_PX) ?? null;
    const { view } = this.cloud;
    const center = row === null ? pan(view, view.widthPx / 2 - at.x, view.heightPx / 2 - at.y) : null;
    const place: Vector = center
      ? [center.x, center.y, dimensions === 3 ? center.z : 0]
      : this.cloud.placeOf(row as number);
    return { kind: "ball", center: place, how };
  }

  #move(event: PointerEvent): void {
    const at = this.#locate(event);
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch" && this.#pointers.size === 0) this.#hover(at);
      return;
    }
    if (!this.#drag) {
      if (!this.#press || Math.hypot(at.x - this.#press.at.x, at.y - this.#press.at.y) < DRAG_PX) return;
      this.#drag = this.#begin(this.#press);
      this.#hold(this.#drag.kind === "pan" || this.#drag.kind === "orbit");
      this.onchange({ isDragging: true, pointer: null });
    }
    this.#pointers.set(event.pointerId, at);
    const drag = this.#drag;
    const { cloud } = this;
    if (drag.kind === "lasso") {
      const last = drag.line.at(-1) as At;
      if (Math.hypot(at.x - last.x, at.y - last.y) >= LASSO_PX) drag.line.push(at);
    }
    if (drag.kind === "pan" || drag.kind === "orbit") {
      const [other] = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const [dx, dy] = [at.x - before.x, at.y - before.y];
      if (!other) this.#moveTo(drag.kind === "orbit" ? orbit(cloud.view.camera, dx, dy) : pan(cloud.view, dx, dy));
      else this.#pinch(at, before, other);
    } else this.stage()?.showArea(this.#area(drag, at));
  }

  /** What is between two fingers stays between them. */
  #pinch(at: At, before: At, other: At): void {
    const { cloud } = this;
    this.#moveTo(pan(cloud.view, (at.x - before.x) / 2, (at.y - before.y) / 2));
    const spread = Math.max(Math.hypot(at.x - other.x, at.y - other.y), 10);
    const spreadBefore = Math.max(Math.hypot(before.x - other.x, before.y - other.y), 10);
    this.#moveTo(zoomAt(cloud.view, (at.x + other.x) / 2, (at.y + other.y) / 2, spread / spreadBefore));
  }

  #area(drag: AreaDrag, to: At): Area {
    const { cloud } = this;
    let line: readonly At[];
    if (drag.kind === "lasso") line = drag.line;
    else if (drag.kind === "box") line = boxAround(drag.from, to);
    else {
      const [x, y] = project(cloud.view, ...drag.center);
      const radius = Math.hypot(to.x - x, to.y - y);
      line = Array.from({ length: 48 }, (_, i) => ({
        x: x + radius * Math.cos((i * Math.PI) / 24),
        y: y + radius * Math.sin((i * Math.PI) / 24),
      }));
    }
    if (cloud.dimensions === 3) return { isOnScreen: true, line: line.map(({ x, y }) => [x, y]) };
    // It stays where it is when the plane moves.
    const { camera, scale, widthPx, heightPx } = cloud.view;
    return {
      isOnScreen: false,
      line: line.map(({ x, y }) => [camera.x + (x - widthPx / 2) / scale, camera.y + (heightPx / 2 - y) / scale]),
    };
  }

  #up(event: PointerEvent): void {
    if (!this.#pointers.delete(event.pointerId)) return;
    if (this.#pointers.size > 0) return;
    const [press, drag] = [this.#press, this.#drag];
    this.#press = this.#drag = null;
    this.#hold(false);
    this.onchange({ isDragging: false, pointer: null });
    if (drag && drag.kind !== "pan" && drag.kind !== "orbit") this.#select(drag, this.#locate(event));
    else if (!drag && press && press.button === 0) this.#click(press);
  }

  #select(drag: AreaDrag, to: At): void {
    const { cloud } = this;
    const stage = this.stage();
    if (!stage) return;
    const { reachable } = stage;
    const rows =
      drag.kind === "ball"
        ? pointsInBall(reachable, cloud.count, drag.center, ballRadius(cloud.view, drag.center, to))
        : pointsInside(
            cloud.view,
            reachable,
            cloud.count,
            drag.kind === "lasso" ? drag.line : boxAround(drag.from, to),
          );
    stage.keepArea();
    if (cloud.onselect) cloud.onselect(rows, drag.how);
    else cloud.select(rows, drag.how);
    if (!rows.includes(1)) stage.showArea(null);
  }

  #click({ at, isTouch, keys }: Press): void {
    const { cloud } = this;
    const row = this.stage()?.pick(at.x, at.y, isTouch ? TOUCH_REACH_PX : REACH_PX) ?? null;
    const add = keys.shiftKey || keys.ctrlKey;
    if (cloud.onpick) cloud.onpick(row, { add });
    else cloud.focused = row;
  }

  #cancel(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    if (this.#drag && this.#drag.kind !== "pan" && this.#drag.kind !== "orbit") this.stage()?.showArea(null);
    this.#press = this.#drag = null;
    this.#hold(false);
    this.onchange({ isDragging: false, pointer: null });
  }

  #leave(): void {
    if (this.#pointers.size === 0) this.#hover(null);
  }

  /** Looks once a frame for what is under the pointer. */
  #hover(at: At | null): void {
    this.#pointer = at;
    if (at === null) {
      cancelAnimationFrame(this.#hoverFrame);
      this.#hoverFrame = 0;
      this.#point(null);
    } else if (this.#hoverFrame === 0)
      this.#hoverFrame = requestAnimationFrame(() => {
        this.#hoverFrame = 0;
        const pointer = this.#pointer;
        if (pointer) this.#point(this.stage()?.pick(pointer.x, pointer.y, REACH_PX) ?? null);
      });
  }

  #point(row: number | null): void {
    const { cloud } = this;
    this.onchange({ isDragging: false, pointer: row === null ? null : this.#pointer });
    if (cloud.hovered === row) return;
    cloud.hovered = row;
    cloud.onhover?.(row);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.#locate(event);
    this.#hover(null);
    this.#moveTo(zoomAt(this.cloud.view, x, y, 1 / wheelFactor(event)));
  }

  #doubleClick(event: MouseEvent): void {
    const { x, y } = this.#locate(event);
    if (this.cloud.tool === "point") this.cloud.travelTo(zoomAt(this.cloud.view, x, y, event.shiftKey ? 0.4 : 2.5));
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.root || event.ctrlKey || event.metaKey || event.altKey) return;
    const { cloud } = this;
    const { view } = cloud;
    const middle: At = { x: view.widthPx / 2, y: view.heightPx / 2 };
    const arrow = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (arrow) {
      const [dx, dy] = [(arrow[0] as number) * KEY_PX, (arrow[1] as number) * KEY_PX];
      const isTurn = view.dimensions === 3 && !event.shiftKey;
      this.#moveTo(isTurn ? orbit(view.camera, dx / 3, dy / 3) : pan(view, dx, dy));
    } else if (event.key === "+" || event.key === "=") this.#moveTo(zoomAt(view, middle.x, middle.y, 1.4));
    else if (event.key === "-") this.#moveTo(zoomAt(view, middle.x, middle.y, 1 / 1.4));
    else if (event.key === "0" || event.key === "Home") cloud.home();
    else if (event.key === "r" && view.dimensions === 3) cloud.isRotating = !cloud.isRotating;
    else if (event.key === "Enter") {
      const row = this.stage()?.pick(middle.x, middle.y, Math.hypot(middle.x, middle.y)) ?? null;
      if (row !== null) cloud.onpick?.(row, { add: event.shiftKey });
    } else if (event.key === "Escape" && this.#drag) {
      this.#press = this.#drag = null;
      this.stage()?.showArea(null);
    } else if (event.key === "Escape" && (cloud.selectedCount > 0 || cloud.focused !== null)) {
      if (cloud.selectedCount > 0) this.#clear();
      else cloud.onpick?.(null, { add: false });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #clear(): void {
    const { cloud } = this;
    const none = new Uint8Array(cloud.count);
    if (cloud.onselect) cloud.onselect(none, { add: false, subtract: false });
    else cloud.setSelected(null);
  }
}
