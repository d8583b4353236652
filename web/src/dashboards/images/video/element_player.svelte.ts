// Plays MP4 or WebM in a video element, and knows its frames from the file. The file is fetched as a
// whole: only so can a browser go to any of its frames.

import { ApiError, loadAddress } from "../../../api/http";
import { frameAt, guessedTiming, insideFrame, type Timing, timingOf } from "./frame_clock";
import { frameTimes } from "./frame_times";
import type { Player } from "./player";

const tellsFrames = "requestVideoFrameCallback" in HTMLVideoElement.prototype;

export class ElementPlayer implements Player {
  index = $state(0);
  isPlaying = $state(false);
  seen = $state(-1);
  error = $state.raw<ApiError | null>(null);
  timing = $state.raw<Timing | null>(null);
  isExact = $state(true);
  #speed = $state(1);
  #isLooping = $state(true);

  #video: HTMLVideoElement | null = null;
  #startsS: Float64Array = new Float64Array();
  /** When the player's clock shows the first frame: not every video begins at 0. */
  #offsetS = 0;
  #hasBegun = false;
  #src = "";
  #listening = new AbortController();
  readonly #end = new AbortController();

  constructor(
    private readonly url: string,
    private readonly mediaType: string,
  ) {
    void this.#load();
  }

  async #load(): Promise<void> {
    const { signal } = this.#end;
    try {
      const bytes = new Uint8Array(await (await loadAddress(this.url, signal)).arrayBuffer());
      this.#startsS = frameTimes(bytes);
      this.#src = URL.createObjectURL(new Blob([bytes], { type: this.mediaType }));
      if (signal.aborted) URL.revokeObjectURL(this.#src);
      else this.#start();
    } catch (cause) {
      if (!signal.aborted)
        this.error =
          cause instanceof ApiError
            ? cause
            : new ApiError("unreachable", "The server does not answer. The page keeps trying to reach it.");
    }
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#speed = speed;
    if (this.#video) this.#video.playbackRate = speed;
  }

  get isLooping(): boolean {
    return this.#isLooping;
  }

  set isLooping(isLooping: boolean) {
    this.#isLooping = isLooping;
    if (this.#video && this.isPlaying) this.#video.loop = isLooping;
  }

  attach(video: HTMLVideoElement | null): void {
    this.#listening.abort();
    this.#video = video;
    this.#start();
  }

  #start(): void {
    const video = this.#video;
    if (!video || !this.#src) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const on = (name: string, listener: () => unknown): void => video.addEventListener(name, listener, { signal });
    on("loadedmetadata", () => this.#know(video));
    on("durationchange", () => this.#know(video));
    // On a slow machine the last frames are not painted, but the last one is to stay.
    on("ended", () => this.isPlaying && this.go(Number.MAX_SAFE_INTEGER));
    on("error", () => {
      this.error = new ApiError(
        "undecodable",
        `This browser cannot play this video (${this.mediaType}): it is damaged, or in an encoding the browser does not know.`,
      );
    });
    if (tellsFrames) {
      const follow = (_: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
        if (signal.aborted) return;
        this.#begin(video, mediaTime);
        this.#see(mediaTime);
        video.requestVideoFrameCallback(follow);
      };
      video.requestVideoFrameCallback(follow);
    } else {
      on("loadeddata", () => this.#begin(video, 0));
      on("seeked", () => this.#see(video.currentTime));
      on("timeupdate", () => this.#see(video.currentTime));
    }
    video.src = this.#src;
    video.playbackRate = this.#speed;
    video.defaultPlaybackRate = this.#speed;
  }

  /** At the first frame, which is seen before anything moves: so it is known when that is. */
  #begin(video: HTMLVideoElement, timeS: number): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#offsetS = timeS;
    if (this.isPlaying) this.#playVideo(video);
  }

  #know(video: HTMLVideoElement): void {
    this.isExact = this.#startsS.length > 0;
    this.timing = this.isExact
      ? timingOf(this.#startsS, video.duration)
      : guessedTiming(Number.isFinite(video.duration) ? video.duration : 0);
  }

  #see(timeS: number): void {
    if (!this.timing) return;
    this.seen = frameAt(this.timing, timeS - this.#offsetS);
    // While it looks for a frame, those that come in between are not where it is going.
    if (!this.#video?.seeking) this.index = this.seen;
  }

  play(): void {
    this.isPlaying = true;
    if (this.#video && this.#hasBegun) this.#playVideo(this.#video);
  }

  #playVideo(video: HTMLVideoElement): void {
    video.loop = this.#isLooping;
    if (this.timing && this.index >= this.timing.startsS.length - 1) video.currentTime = this.#offsetS;
    // Browsers may refuse autoplay, and a new video interrupts the start of the old one.
    video.play().catch(() => (this.isPlaying = this.#video === video && !video.paused));
  }

  pause(): void {
    this.isPlaying = false;
    if (!this.#video) return;
    this.#video.pause();
    // Else it would begin anew when it is led to its last frame.
    this.#video.loop = false;
  }

  go(index: number): void {
    this.pause();
    if (!this.timing || !this.#video) return;
    const next = Math.min(Math.max(index, 0), this.timing.startsS.length - 1);
    this.#video.currentTime = this.#offsetS + insideFrame(this.timing, next);
    this.index = next;
  }

  close(): void {
    this.#end.abort();
    this.#listening.abort();
    this.#video?.removeAttribute("src");
    if (this.#src) URL.revokeObjectURL(this.#src);
  }
}
