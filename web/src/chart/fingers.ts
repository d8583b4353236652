// Listens to fingers on a chart and tells it what they mean: a tap, values to read, another range of x. Mouse and pen
// pass by.

import type { Attachment } from "svelte/attachments";
import { followFingers, type Ground, type Point, type Touch, touchDown, touchMove, touchUp } from "./gestures";
import type { ChartView } from "./model";

export interface FingerActions {
  readonly ground: () => Ground;
  readonly onview: (view: ChartView) => void;
  /** The finger rests here, or moves on after it rested. */
  readonly onread: (at: Point) => void;
  readonly ontap: (at: Point) => void;
}

// A finger that rests this long reads values.
const LONG_PRESS_MS = 400;

export const isTouch = (event: PointerEvent): boolean => event.pointerType === "touch";

export const fingers =
  ({ ground, onview, onread, ontap }: FingerActions): Attachment<HTMLElement> =>
  (element) => {
    let touch: Touch | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const locate = (event: PointerEvent): Point => {
      const { left, top } = element.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };

    function read(): void {
      const finger = touch?.fingers[0];
      if (!touch || !finger) return;
      touch = { ...touch, kind: "read" };
      onread(finger.to);
    }

    function onpointerdown(event: PointerEvent): void {
      // Badges and step handles have their own.
      if (!isTouch(event) || (event.target as Element).closest("button, [role=group]")) return;
      element.setPointerCapture(event.pointerId);
      touch = touchDown(touch, event.pointerId, locate(event), ground());
      clearTimeout(timer);
      if (touch.kind === "press") timer = setTimeout(read, LONG_PRESS_MS);
    }

    function onpointermove(event: PointerEvent): void {
      if (!touch || !isTouch(event)) return;
      touch = touchMove(touch, event.pointerId, locate(event));
      if (touch.kind === "read") read();
      if (touch.kind !== "move") return;
      clearTimeout(timer);
      onview(followFingers(touch));
    }

    function onpointerup(event: PointerEvent): void {
      if (!touch || !isTouch(event)) return;
      const isTap = touch.kind === "press";
      touch = touchUp(touch, event.pointerId, ground());
      clearTimeout(timer);
      if (isTap) ontap(locate(event));
    }

    /** The browser takes the finger to scroll the page: what it did here is undone. */
    function onpointercancel(): void {
      clearTimeout(timer);
      if (touch?.kind === "move") onview(touch.ground.view);
      touch = null;
    }

    /** Fingers that read or zoom do not scroll the page as well. */
    function ontouchmove(event: TouchEvent): void {
      // Once the page scrolls, the browser does not stop for us.
      if (event.cancelable && touch && (touch.kind === "read" || touch.fingers.length > 1)) event.preventDefault();
    }

    // Browsers open a menu on a long press.
    function oncontextmenu(event: MouseEvent): void {
      if (touch) event.preventDefault();
    }

    const stop = new AbortController();
    const { signal } = stop;
    element.addEventListener("pointerdown", onpointerdown, { signal });
    element.addEventListener("pointermove", onpointermove, { signal });
    element.addEventListener("pointerup", onpointerup, { signal });
    element.addEventListener("pointercancel", onpointercancel, { signal });
    element.addEventListener("touchmove", ontouchmove, { signal, passive: false });
    element.addEventListener("contextmenu", oncontextmenu, { signal });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  };
