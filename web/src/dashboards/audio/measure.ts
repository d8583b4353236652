// What is measured of decoded samples once: outline, peak, loudness. Runs in the worker.

import { measureLoudness } from "./loudness";
import { blockPeaks } from "./peaks";
import type { Sound } from "./sound";

/** Samples that are no numbers become 0, in place: no loudspeaker could do anything with them. */
export function measureSound(channels: readonly Float32Array[], sampleRate: number): Sound {
  let oddSamples = 0;
  for (const channel of channels) {
    for (let i = 0; i < channel.length; i++) {
      if (Number.isFinite(channel[i])) continue;
      channel[i] = 0;
      oddSamples++;
    }
  }
  const peaks = channels.map(blockPeaks);
  const peak = peaks.reduce((most, { min, max }) => Math.max(most, greatest(max), -least(min)), 0);
  return { channels, sampleRate, peaks, peak, loudness: measureLoudness(channels, sampleRate), oddSamples };
}

const greatest = (values: Float32Array): number => values.reduce((most, value) => Math.max(most, value), 0);
const least = (values: Float32Array): number => values.reduce((most, value) => Math.min(most, value), 0);
