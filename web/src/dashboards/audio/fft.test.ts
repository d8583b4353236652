import { expect, test } from "vitest";
import { Fft } from "./fft";

/** By the definition. */
function naive(samples: Float32Array): number[] {
  return Array.from({ length: samples.length / 2 + 1 }, (_, frequency) => {
    let re = 0;
    let im = 0;
    samples.forEach((sample, i) => {
      const angle = (-2 * Math.PI * frequency * i) / samples.length;
      re += sample * Math.cos(angle);
      im += sample * Math.sin(angle);
    });
    return re * re + im * im;
  });
}

test.each([2, 8, 64, 512])("an FFT of %i samples is the sum that defines it", (size) => {
  const samples = Float32Array.from({ length: size }, (_, i) => Math.sin(i * i * 1.7) + (i % 5));
  const power = new Float64Array(size / 2 + 1);
  new Fft(size).power(samples, new Float32Array(size).fill(1), power);
  naive(samples).forEach((expected, i) => expect(power[i]).toBeCloseTo(expected, 6));
});

test("the window weighs every sample", () => {
  const samples = Float32Array.from({ length: 16 }, (_, i) => Math.cos(i));
  const window = Float32Array.from({ length: 16 }, (_, i) => i / 16);
  const power = new Float64Array(9);
  new Fft(16).power(samples, window, power);
  naive(samples.map((sample, i) => sample * (window[i] as number))).forEach((expected, i) =>
    expect(power[i]).toBeCloseTo(expected, 5),
  );
});

test("only powers of two", () => {
  expect(() => new Fft(12)).toThrow("power of two");
  expect(() => new Fft(1)).toThrow("power of two");
});
