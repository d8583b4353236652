// Formats a clip's numbers and the ticks of its axes.

import { ticks } from "d3-array";
import type { ClipInfo, Sound } from "./sound";

const MINUS = "−";
const CHANNELS: Readonly<Record<number, string>> = { 1: "mono", 2: "stereo" };
const ENCODINGS: Readonly<Record<string, string>> = {
  u8: "8 bit",
  s16: "16 bit",
  s24: "24 bit",
  s32: "32 bit",
  f32: "32 bit float",
  f64: "64 bit float",
};

/** 0:01.25 */
export function clockText(seconds: number): string {
  const hundredths = Math.round(seconds * 100);
  const minutes = Math.floor(hundredths / 6_000);
  return `${minutes}:${((hundredths % 6_000) / 100).toFixed(2).padStart(5, "0")}`;
}

/** 440 Hz, 44.1 kHz */
export function frequencyText(hz: number): string {
  return hz >= 1_000 ? `${Number((hz / 1_000).toPrecision(4))} kHz` : `${Number(hz.toPrecision(3))} Hz`;
}

/** +3.2 dB */
export function decibelText(dB: number): string {
  const text = Math.abs(dB).toFixed(1);
  return `${text === "0.0" ? "" : dB < 0 ? MINUS : "+"}${text} dB`;
}

/** 16 kHz · stereo · 16 bit WAV */
export function factsText(info: ClipInfo, sound: Sound): string {
  const count = Math.max(info.channels, sound.channels.length);
  const encoding = info.layout ? `${ENCODINGS[info.layout.encoding]} ` : "";
  return [
    frequencyText(sound.sampleRate),
    CHANNELS[count] ?? `${count} channels`,
    encoding + info.format.toUpperCase(),
  ].join(" · ");
}

/** Ticks of a time axis; as m:ss from a minute on. */
export function timeTicks(from: number, to: number, count: number): { readonly at: number; readonly text: string }[] {
  const places = ticks(from, to, Math.max(count, 1));
  const step = (places[1] ?? 1) - (places[0] ?? 0);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return places.map((at) => {
    if (to < 60) return { at, text: `${at.toFixed(digits)} s` };
    const minutes = Math.floor(at / 60);
    return { at, text: `${minutes}:${(at % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0")}` };
  });
}

const FREQUENCIES = [20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000];

/** Ticks of a frequency axis from the top down, as many as fit. `placeOf`: 0 at the bottom, 1 at the top. */
export function frequencyTicks(
  placeOf: (hz: number) => number,
  heightPx: number,
  roomPx: number,
): { readonly topPx: number; readonly text: string }[] {
  const marks: { topPx: number; text: string }[] = [];
  for (const hz of FREQUENCIES) {
    const topPx = (1 - placeOf(hz)) * heightPx;
    const last = marks.at(-1);
    if (topPx < roomPx / 2 || topPx > heightPx - roomPx / 2 || (last && last.topPx - topPx < roomPx)) continue;
    marks.push({ topPx, text: hz >= 1_000 ? `${hz / 1_000}k` : String(hz) });
  }
  return marks;
}

/** The value at a lane's edge: the peak, rounded up, so that quiet clips are visible. */
export function laneScale(peak: number): number {
  if (peak <= 0 || peak > 1) return peak > 1 ? peak : 1;
  const power = 10 ** Math.floor(Math.log10(peak) + 1e-9);
  return Number((([1, 2, 5, 10].find((step) => step * power >= peak * 0.999) as number) * power).toPrecision(6));
}
