import { expect, test } from "vitest";
import { measureSound } from "./measure";
import { durationOf, framesOf, meanOf, mixDown } from "./sound";

const channel = (...samples: number[]): Float32Array => Float32Array.from(samples);

test("up to two channels are heard as they are, more as their mean, one alone on request", () => {
  const [a, b, c] = [channel(1, 0), channel(0, 1), channel(0.5, 0.5)];
  expect(mixDown([a], "all")).toEqual([a]);
  expect(mixDown([a, b], "all")).toEqual([a, b]);
  expect(mixDown([a, b, c], "all")).toEqual([channel(0.5, 0.5)]);
  expect(mixDown([a, b, c], 1)).toEqual([b]);
  // A channel that this clip does not have.
  expect(mixDown([a], 5)).toEqual([a]);
});

test("the mean has silence around the clip", () => {
  expect([...meanOf([channel(1, 2), channel(3, 4)], -1, 5)]).toEqual([0, 2, 3, 0, 0]);
});

test("measures the peak on either side, and takes what is no number for silence", () => {
  const sound = measureSound([channel(0.1, -0.7, NaN, 0.2), channel(0.3, Infinity, 0, -Infinity)], 4);
  expect(sound.peak).toBeCloseTo(0.7, 6);
  expect(sound.nonFinite).toBe(3);
  expect([...(sound.channels[1] as Float32Array)].map(Math.abs)).toEqual([Math.fround(0.3), 0, 0, 0]);
  expect([framesOf(sound), durationOf(sound)]).toEqual([4, 1]);
  expect(measureSound([], 8_000)).toMatchObject({ peak: 0, loudness: -Infinity, nonFinite: 0 });
});
