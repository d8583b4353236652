// Loads the clips of a logged value: lists them, fetches the bytes of one and has them decoded. Caches the latest, so
// that going back and forth between runs or steps is instant.

import type { Client } from "../../api/client";
import { ApiError } from "../../api/http";
import type { Sample } from "../../state/cursor/step_cursor";
import { MOST_CHANNELS } from "./decode_pcm";
import { type ClipInfo, clampRate, type Sound } from "./sound";
import { runInWorker } from "./sound_worker";
import { formatCount } from "../../base/count";

export interface LoadedClip {
  readonly sample: Sample;
  /** All clips of the value. */
  readonly infos: readonly ClipInfo[];
  /** Which of them this is. */
  readonly number: number;
  /** Null: the value has no clips. */
  readonly info: ClipInfo | null;
  /** Null: not decodable; `problem` says why. */
  readonly sound: Sound | null;
  /** "" when nothing is wrong. */
  readonly problem: string;
}

export interface ClipQuestion {
  readonly sample: Sample;
  readonly number: number;
}

const MAX_CACHE_BYTES = 192e6;
const MAX_CLIP_BYTES = 256e6;

/** Leaves out a time that is not finite: the server cannot compare it. */
const sampleParameters = ({ run, tag, row, step, wallTime }: Sample): Record<string, string | number | undefined> => ({
  run,
  tag,
  row,
  step,
  wall_time: Number.isFinite(wallTime) ? wallTime : undefined,
});

export const clipKey = ({ sample: { run, tag, row, step, wallTime }, number }: ClipQuestion): string =>
  [run, tag, row, step, wallTime, number].join("\n");

export const clipAddress = (client: Client, { sample, number }: ClipQuestion): string =>
  client.address("audio/blob", { ...sampleParameters(sample), sample: number, download: 1 });

const cache = new Map<string, LoadedClip>();
const bytesOf = ({ sound }: LoadedClip): number =>
  sound?.channels.reduce((sum, channel) => sum + channel.byteLength, 0) ?? 0;

function keep(key: string, clip: LoadedClip): void {
  cache.delete(key);
  cache.set(key, clip);
  let bytes = [...cache.values()].reduce((sum, each) => sum + bytesOf(each), 0);
  for (const [old, each] of cache) {
    if (bytes <= MAX_CACHE_BYTES || old === key) return;
    cache.delete(old);
    bytes -= bytesOf(each);
  }
}

/** Only what is cached. */
export const recall = (question: ClipQuestion): LoadedClip | undefined => cache.get(clipKey(question));

export async function loadClip(client: Client, question: ClipQuestion, signal: AbortSignal): Promise<LoadedClip> {
  const known = recall(question);
  if (known) return known;
  const { sample } = question;
  const { clips } = await client.ask<{ clips: ClipInfo[] }>("audio/list", sampleParameters(sample), signal);
  // Another step may hold fewer.
  const number = Math.min(question.number, Math.max(clips.length - 1, 0));
  const info = clips[number] ?? null;
  const loaded: LoadedClip = info
    ? { sample, infos: clips, number, info, ...(await decodeClip(client, { sample, number }, info, signal)) }
    : { sample, infos: clips, number, info, sound: null, problem: "No clip at this step" };
  keep(clipKey(question), loaded);
  return loaded;
}

async function decodeClip(
  client: Client,
  { sample, number }: ClipQuestion,
  info: ClipInfo,
  signal: AbortSignal,
): Promise<Pick<LoadedClip, "sound" | "problem">> {
  if (info.size_bytes === 0) return { sound: null, problem: info.problem };
  if (info.size_bytes > MAX_CLIP_BYTES)
    return { sound: null, problem: "This clip is too large to show. You can save the file." };
  const bytes = await client.bytes("audio/blob", { ...sampleParameters(sample), sample: number }, signal);
  const { layout } = info;
  if (layout) {
    const sound = await runInWorker(
      { type: "decode", bytes, layout, channels: info.channels, frames: info.frames, sampleRate: info.sample_rate },
      [bytes],
    );
    const left =
      info.channels > MOST_CHANNELS
        ? ` Showing the first ${MOST_CHANNELS} of ${formatCount(info.channels)} channels.`
        : "";
    return { sound: sound.channels[0]?.length ? sound : null, problem: (info.problem + left).trim() };
  }
  try {
    const decoded = await new OfflineAudioContext(1, 1, clampRate(info.sample_rate)).decodeAudioData(bytes);
    const channels = Array.from({ length: Math.min(decoded.numberOfChannels, MOST_CHANNELS) }, (_, i) =>
      decoded.getChannelData(i).slice(),
    );
    const sound = await runInWorker(
      { type: "measure", channels, sampleRate: decoded.sampleRate },
      channels.map(({ buffer }) => buffer),
    );
    return { sound, problem: "" };
  } catch (cause) {
    if (cause instanceof ApiError || signal.aborted) throw cause;
    return {
      sound: null,
      problem:
        info.problem || `This browser cannot decode this ${info.format.toUpperCase()} file, or the file is damaged.`,
    };
  }
}
