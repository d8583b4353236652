import { expect, test } from "vitest";
import { clockText, decibelText, factsText, frequencyText, frequencyTicks, laneScale, timeTicks } from "./clip_text";
import { measureSound } from "./measure";
import { ratioOf } from "./spectrogram";

test.each([
  [0, "0:00.00"],
  [1.254, "0:01.25"],
  [59.996, "1:00.00"],
  [3_661.5, "61:01.50"],
])("%d seconds are %s", (seconds, text) => expect(clockText(seconds)).toBe(text));

test("frequencies and decibels", () => {
  expect([440, 44_100, 8_000, 11_025].map(frequencyText)).toEqual(["440 Hz", "44.1 kHz", "8 kHz", "11.03 kHz"]);
  expect([3.24, -12, 0.01, -0.01].map(decibelText)).toEqual(["+3.2 dB", "−12.0 dB", "0.0 dB", "0.0 dB"]);
});

test("what a clip is", () => {
  const info = {
    format: "wav",
    media_type: "audio/wav",
    sample_rate: 22_050,
    channels: 3,
    frames: 1,
    duration_s: 1,
    label: "",
    size_bytes: 1,
    problem: "",
    layout: { encoding: "s24", start_byte: 44, frame_bytes: 9 },
  } as const;
  const sound = measureSound([new Float32Array(1), new Float32Array(1), new Float32Array(1)], 22_050);
  expect(factsText(info, sound)).toBe("22.05 kHz · 3 channels · 24 bit WAV");
  expect(
    factsText(
      { ...info, format: "mp3", channels: 1, layout: null },
      { ...sound, channels: sound.channels.slice(0, 1) },
    ),
  ).toBe("22.05 kHz · mono · MP3");
});

test("time is marked in seconds, and past a minute as on a clock", () => {
  expect(timeTicks(0, 1, 4).map(({ text }) => text)).toEqual(["0.0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s"]);
  expect(timeTicks(0, 150, 3).map(({ text }) => text)).toEqual(["0:00", "0:50", "1:40", "2:30"]);
  expect(timeTicks(61, 61.3, 3).map(({ text }) => text)).toEqual(["1:01.0", "1:01.1", "1:01.2", "1:01.3"]);
});

test("frequencies are marked where there is room", () => {
  const marks = frequencyTicks((hz) => ratioOf("mel", hz, 16_000), 100, 12);
  expect(marks.map(({ text }) => text)).toEqual(["200", "1k", "2k", "5k"]);
  for (const [i, mark] of marks.entries())
    if (i > 0) expect((marks[i - 1] as typeof mark).topPx - mark.topPx).toBeGreaterThanOrEqual(12);
});

test.each([
  [0, 1],
  [1, 1],
  [0.999, 1],
  [0.3, 0.5],
  [0.1, 0.1],
  [0.021, 0.05],
  [1.7, 1.7],
])("a clip that peaks at %d has lanes up to %d", (peak, scale) => expect(laneScale(peak)).toBe(scale));
