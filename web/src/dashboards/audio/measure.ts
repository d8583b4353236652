// Measures decoded sound once: outline, peak, loudness. Runs in the worker.

import { measureLoudness } from "./loudness";
import { blockPeaks } from "./peaks";
import type { Sound } from "./sound";

/** Sets values that are not finite to 0, in place: they cannot be played. */
export function measureSound(channels: readonly Float32Array[], sampleRate: number): Sound {
  let nonFinite = 0;
  for (const channel of channels) {
    for (let i = 0; i < channel.length; i++) {
      if (Number.isFinite(channel[i])) continue;
      channel[i] = 0;
      nonFinite++;
    }
  }
  const peaks = channels.map(blockPeaks);
  const peak = peaks.reduce((most, { min, max }) => Math.max(most, greatest(max), -least(min)), 0);
  return { channels, sampleRate, peaks, peak, loudness: measureLoudness(channels, sampleRate), nonFinite };
}

const greatest = (values: Float32Array): number => values.reduce((most, value) => Math.max(most, value), 0);
const least = (values: Float32Array): number => values.reduce((most, value) => Math.min(most, value), 0);
