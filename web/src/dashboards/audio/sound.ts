// A decoded clip: PCM by channel, and what was measured of it.

import type { components } from "../../api/types.gen";

export type ClipInfo = components["schemas"]["Clip"];
export type PcmLayout = components["schemas"]["SampleLayout"];

/** Minimum and maximum of every block of frames, so that a long clip is drawn without reading all of it. */
export interface Peaks {
  readonly min: Float32Array;
  readonly max: Float32Array;
}

export interface Measures {
  /** One for each channel. */
  readonly peaks: readonly Peaks[];
  /** The greatest distance from zero in any channel. */
  readonly peak: number;
  /** Of the whole clip, in LUFS; −∞ for silence. */
  readonly loudness: number;
  /** How many values were not finite and are 0 here. */
  readonly nonFinite: number;
}

export interface Sound extends Measures {
  /** All of one length, in the order of the file. */
  readonly channels: readonly Float32Array[];
  readonly sampleRate: number;
}

export const framesOf = (sound: Sound): number => sound.channels[0]?.length ?? 0;
export const durationOf = (sound: Sound): number => framesOf(sound) / sound.sampleRate;

/** The nearest rate that every browser can decode to and play. */
export const clampRate = (rate: number): number => Math.round(Math.min(Math.max(rate || 48_000, 8_000), 96_000));

/** Which channels are shown and played: all, or the one with this index. */
export type ChannelChoice = number | "all";

/** Up to two channels are played as they are, more of them as their mean. */
export function mixDown(channels: readonly Float32Array[], channel: ChannelChoice): readonly Float32Array[] {
  const one = channel === "all" ? undefined : channels[channel];
  if (one) return [one];
  return channels.length <= 2 ? channels : [meanOf(channels, 0, channels[0]?.length ?? 0)];
}

/** The mean of the channels over `count` frames; 0 outside the clip. */
export function meanOf(
  channels: readonly Float32Array[],
  from: number,
  count: number,
  into = new Float32Array(count),
): Float32Array {
  const start = Math.max(from, 0);
  const end = Math.min(from + count, channels[0]?.length ?? 0);
  into.fill(0, 0, count);
  for (const channel of channels)
    for (let i = start; i < end; i++)
      into[i - from] = (into[i - from] as number) + (channel[i] as number) / channels.length;
  return into;
}
