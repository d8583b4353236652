// Frames and times of a video: which frame is shown when, and where to seek for a frame. Knows no player.

/** When frames begin, in seconds from the start, and when the last one ends. */
export interface Timing {
  readonly startsS: Float64Array;
  readonly durationS: number;
}

/** Assumed frames per second where the file does not say. */
const GUESSED_FPS = 25;
const MAX_GUESSED = 100_000;

export function timingOf(startsS: Float64Array, durationS: number): Timing {
  const count = startsS.length;
  const last = startsS[count - 1] ?? 0;
  // The last frame is shown as long as the others are, where nobody says how long.
  const usual = count > 1 ? last / (count - 1) : 1 / GUESSED_FPS;
  return { startsS, durationS: Number.isFinite(durationS) && durationS > last ? durationS : last + usual };
}

export function guessedTiming(durationS: number): Timing {
  const count = Math.min(Math.max(1, Math.floor(durationS * GUESSED_FPS)), MAX_GUESSED);
  return { startsS: Float64Array.from({ length: count }, (_, i) => i / GUESSED_FPS), durationS };
}

export function delaysTiming(delaysMs: readonly number[]): Timing {
  const startsS = new Float64Array(delaysMs.length);
  let sumS = 0;
  delaysMs.forEach((delayMs, i) => {
    startsS[i] = sumS;
    sumS += delayMs / 1_000;
  });
  return { startsS, durationS: sumS };
}

/** The frame that is seen at a time. */
export function frameAt({ startsS }: Timing, timeS: number): number {
  let [low, high] = [0, startsS.length - 1];
  // Times come back from a player rounded to the microsecond.
  const time = timeS + 1e-5;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((startsS[middle] as number) <= time) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

/** Well inside a frame, so that no rounding leads to its neighbour. */
export function insideFrame({ startsS, durationS }: Timing, index: number): number {
  const start = startsS[index] ?? 0;
  const end = startsS[index + 1] ?? Math.max(durationS, start);
  return start + (end - start) / 2;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(2)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - minutes * 60).toFixed(1).padStart(4, "0")} min`;
}
