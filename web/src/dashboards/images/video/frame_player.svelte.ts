// Plays an animation whose frames come from a worker, on a canvas: moving GIF, WebP and PNG. Keeps to its time: what
// cannot be drawn in time is left out.

import { ApiError } from "../../../api/http";
import { type Animation, openAnimation } from "../decode/decode";
import { delaysTiming, frameAt, insideFrame, type Timing } from "./frame_clock";
import type { Player } from "./player";

export class FramePlayer implements Player {
  index = $state(0);
  isPlaying = $state(false);
  seen = $state(-1);
  error = $state.raw<ApiError | null>(null);
  timing = $state.raw<Timing | null>(null);
  speed = $state(1);
  isLooping = $state(true);
  readonly isExact = true;

  #canvas: HTMLCanvasElement | null = null;
  #animation: Animation | null = null;
  #timeS = 0;
  #tickedMs = 0;
  #isAsking = false;
  #frame = 0;
  readonly #end = new AbortController();

  constructor(url: string) {
    void this.#open(url);
  }

  async #open(url: string): Promise<void> {
    try {
      const animation = await openAnimation(url, this.#end.signal);
      if (this.#end.signal.aborted) return animation.close();
      this.#animation = animation;
      this.timing = delaysTiming(animation.delaysMs);
      this.#show(0);
    } catch (cause) {
      if (!this.#end.signal.aborted)
        this.error = cause instanceof ApiError ? cause : new ApiError("undecodable", String(cause));
    }
  }

  /** Where it is drawn, at the animation's own size. */
  attach(canvas: HTMLCanvasElement | null): void {
    this.#canvas = canvas;
    if (canvas && this.#animation) this.#show(this.index);
  }

  play(): void {
    if (this.isPlaying) return;
    this.isPlaying = true;
    const { timing } = this;
    if (timing) this.#timeS = this.index >= timing.startsS.length - 1 ? 0 : (timing.startsS[this.index] ?? 0);
    this.#tickedMs = performance.now();
    this.#frame = requestAnimationFrame(this.#tick);
  }

  pause(): void {
    this.isPlaying = false;
    cancelAnimationFrame(this.#frame);
  }

  go(index: number): void {
    this.pause();
    if (!this.timing) return;
    const next = Math.min(Math.max(index, 0), this.timing.startsS.length - 1);
    this.#timeS = insideFrame(this.timing, next);
    this.#show(next);
  }

  close(): void {
    this.pause();
    this.#end.abort();
    this.#animation?.close();
    this.#animation = null;
  }

  readonly #tick = (nowMs: number): void => {
    if (!this.isPlaying) return;
    this.#frame = requestAnimationFrame(this.#tick);
    const { timing } = this;
    const passedS = ((nowMs - this.#tickedMs) / 1_000) * this.speed;
    this.#tickedMs = nowMs;
    // Until it is seen it does not run.
    if (!timing || this.seen < 0) return;
    this.#timeS += Math.max(0, passedS);
    if (this.#timeS >= timing.durationS) {
      if (!this.isLooping || timing.startsS.length < 2) return this.go(timing.startsS.length - 1);
      this.#timeS %= timing.durationS;
    }
    const next = frameAt(timing, this.#timeS);
    if (next !== this.index) this.#show(next);
  };

  #show(index: number): void {
    this.index = index;
    if (!this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    const animation = this.#animation;
    if (!animation || !this.#canvas) return;
    this.#isAsking = true;
    try {
      for (let drawn = -1; drawn !== this.index;) {
        const { index } = this;
        const bitmap = await animation.frame(index, this.#end.signal);
        this.#draw(bitmap, index);
        drawn = index;
      }
    } catch (cause) {
      if (!this.#end.signal.aborted)
        this.error = cause instanceof ApiError ? cause : new ApiError("undecodable", String(cause));
    } finally {
      this.#isAsking = false;
    }
  }

  #draw(bitmap: ImageBitmap, index: number): void {
    const canvas = this.#canvas;
    if (canvas && (canvas.width !== bitmap.width || canvas.height !== bitmap.height)) {
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
    }
    const context = canvas?.getContext("2d");
    context?.clearRect(0, 0, bitmap.width, bitmap.height);
    context?.drawImage(bitmap, 0, 0);
    bitmap.close();
    this.seen = index;
  }
}
