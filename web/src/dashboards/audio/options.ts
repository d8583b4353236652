// Options of all audio cards, kept in the address.

import type { Settings } from "../../state/view/settings.svelte";
import type { FrequencyScale } from "./spectrogram";
import type { TimeRange } from "./view_range";

export type ClipView = "both" | "wave" | "spectrum";

const VIEW = "audio.view";
const SCALE = "audio.frequency";
const VOLUME = "audio.volume";
const LOOP = "audio.loop";
const MATCH = "audio.match";
const ZOOM = "audio.zoom";

export const VIEWS: readonly { value: ClipView; label: string; hint: string }[] = [
  { value: "both", label: "Both", hint: "Waveform and spectrogram" },
  { value: "wave", label: "Waveform", hint: "Amplitude over time" },
  { value: "spectrum", label: "Spectrogram", hint: "Frequencies over time" },
];
export const SCALES: readonly { value: FrequencyScale; label: string }[] = [
  { value: "mel", label: "mel" },
  { value: "log", label: "log" },
  { value: "linear", label: "linear" },
];

/** Falls back to the first option: an address can contain anything. */
const choose = <T extends string>(text: string, options: readonly { value: T }[]): T =>
  (options.find(({ value }) => value === text) ?? (options[0] as { value: T })).value;

export interface AudioOptions {
  readonly view: ClipView;
  readonly scale: FrequencyScale;
  /** 0 to 1. */
  readonly volume: number;
  readonly isLooping: boolean;
  readonly isMatched: boolean;
}

export function readOptions(settings: Settings): AudioOptions {
  const volume = Number(settings.option(VOLUME, "100"));
  return {
    view: choose(settings.option(VIEW), VIEWS),
    scale: choose(settings.option(SCALE), SCALES),
    volume: volume >= 0 && volume <= 100 ? volume / 100 : 1,
    isLooping: settings.option(LOOP) === "1",
    isMatched: settings.option(MATCH) === "1",
  };
}

export function setOptions(
  settings: Settings,
  { view, scale, volume, isLooping, isMatched }: Partial<AudioOptions>,
): void {
  if (view !== undefined) settings.setOption(VIEW, view, "both");
  if (scale !== undefined) settings.setOption(SCALE, scale, "mel");
  if (volume !== undefined) settings.setOption(VOLUME, String(Math.round(volume * 100)), "100");
  if (isLooping !== undefined) settings.setOption(LOOP, isLooping ? "1" : "");
  if (isMatched !== undefined) settings.setOption(MATCH, isMatched ? "1" : "");
}

/** The part of all clips that is visible; null: all of them. */
export function readZoom(settings: Settings): TimeRange | null {
  const [from = NaN, to = NaN] = settings.option(ZOOM).split(",").map(Number);
  return from >= 0 && from < to ? [from, to] : null;
}

export const setZoom = (settings: Settings, range: TimeRange | null): void =>
  settings.setOption(ZOOM, range ? range.map((seconds) => Number(seconds.toFixed(4))).join(",") : "");
