import { describe, expect, test } from "vitest";
import { gainOf, matchingGain, measureLoudness, TARGET_LUFS } from "./loudness";

const sine = (hz: number, rate: number, seconds: number, size = 1): Float32Array =>
  Float32Array.from({ length: Math.round(rate * seconds) }, (_, i) => size * Math.sin((2 * Math.PI * hz * i) / rate));

describe("loudness", () => {
  // The standard: a full sine of 997 Hz in one channel is −3.01.
  test.each([16_000, 44_100, 48_000, 96_000])("of the standard's own tone at %i Hz", (rate) => {
    expect(measureLoudness([sine(997, rate, 2)], rate)).toBeCloseTo(-3.01, 1);
  });

  test("of two channels is that of both powers together", () => {
    const tone = sine(997, 48_000, 2);
    expect(measureLoudness([tone, tone], 48_000)).toBeCloseTo(0, 1);
  });

  test("falls with the size of the samples", () => {
    expect(measureLoudness([sine(997, 48_000, 2, 0.1)], 48_000)).toBeCloseTo(-23.01, 1);
  });

  test("counts low tones less than high ones", () => {
    const low = measureLoudness([sine(40, 48_000, 2)], 48_000);
    const high = measureLoudness([sine(4_000, 48_000, 2)], 48_000);
    expect(high - low).toBeGreaterThan(6);
  });

  test("does not count what is quiet", () => {
    const tone = sine(997, 48_000, 2);
    const withPause = new Float32Array(tone.length * 3);
    withPause.set(tone);
    // Blocks that reach into the pause count in part.
    expect(measureLoudness([withPause], 48_000)).toBeGreaterThan(-3.8);
  });

  test("of a clip shorter than a block is that of all of it", () => {
    expect(measureLoudness([sine(997, 48_000, 0.2)], 48_000)).toBeCloseTo(-3.01, 0);
  });

  test("of silence and of nothing is none", () => {
    expect(measureLoudness([new Float32Array(48_000)], 48_000)).toBe(-Infinity);
    expect(measureLoudness([], 48_000)).toBe(-Infinity);
    expect(measureLoudness([new Float32Array()], 0)).toBe(-Infinity);
  });
});

describe("matching", () => {
  test("brings clips to one loudness", () => {
    for (const size of [0.05, 0.9]) {
      const tone = sine(997, 48_000, 1, size);
      const { dB } = matchingGain(measureLoudness([tone], 48_000), size);
      const matched = tone.map((sample) => sample * gainOf(dB));
      expect(measureLoudness([matched], 48_000)).toBeCloseTo(TARGET_LUFS, 3);
    }
  });

  test("stops where peaks would be cut off", () => {
    expect(matchingGain(-40, 0.5)).toEqual({ dB: -20 * Math.log10(0.5), isHeldByPeak: true });
    expect(matchingGain(-10, 1)).toEqual({ dB: -13, isHeldByPeak: false });
  });

  test("leaves silence alone", () => {
    expect(matchingGain(-Infinity, 0)).toEqual({ dB: 0, isHeldByPeak: false });
  });
});
