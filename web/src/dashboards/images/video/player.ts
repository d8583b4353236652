// What the video controls need, for any player.

import type { ApiError } from "../../../api/http";
import type { ImageSample } from "../ask";
import type { Timing } from "./frame_clock";

/** Whether a file moves. */
export const isVideo = ({ frames, media_type, problem }: ImageSample): boolean =>
  problem === null && ((frames ?? 1) > 1 || media_type.startsWith("video/"));

export interface Player {
  /** Null until the file is read. */
  readonly timing: Timing | null;
  /** Whether frames are where the file says, or where a guess puts them. */
  readonly isExact: boolean;
  /** Of the frame that it goes to, or is at. */
  readonly index: number;
  /** Of the frame on screen; -1 while there is none. */
  readonly seen: number;
  readonly isPlaying: boolean;
  readonly error: ApiError | null;
  speed: number;
  isLooping: boolean;
  play(): void;
  pause(): void;
  /** To a frame, to look at it: it pauses. */
  go(index: number): void;
}
