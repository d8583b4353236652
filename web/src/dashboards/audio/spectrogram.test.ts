import { describe, expect, test } from "vitest";
import { type FrequencyScale, frequencyAt, gatherPieces, pieceSize, RANGE_DB, ratioOf, spectrum } from "./spectrogram";

const RATE = 16_000;
const ROWS = 100;
const SCALES: readonly FrequencyScale[] = ["mel", "log", "linear"];
const sine = (hz: number, seconds: number, size = 1): Float32Array =>
  Float32Array.from({ length: RATE * seconds }, (_, i) => size * Math.sin((2 * Math.PI * hz * i) / RATE));

function draw(channels: readonly Float32Array[], columns: number, scale: FrequencyScale, topDb = 0): Uint8ClampedArray {
  const size = pieceSize(RATE);
  const gathered = gatherPieces(channels, 0, channels[0]?.length ?? 0, columns, size);
  return spectrum({ ...gathered, columns, size, sampleRate: RATE, rows: ROWS, scale, topDb });
}

const strongestRow = (levels: Uint8ClampedArray, columns: number, column: number): number => {
  const rows = Array.from({ length: ROWS }, (_, row) => levels[row * columns + column] as number);
  return rows.indexOf(Math.max(...rows));
};

describe.each(SCALES)("%s", (scale) => {
  test("a tone stands at its frequency, at full strength", () => {
    const levels = draw([sine(1_000, 1)], 20, scale);
    const row = strongestRow(levels, 20, 10);
    expect(Math.abs(1 - (row + 0.5) / ROWS - ratioOf(scale, 1_000, RATE))).toBeLessThan(1.5 / ROWS);
    expect(levels[row * 20 + 10]).toBeGreaterThan(250);
  });

  test("frequency and place are each other's inverse", () => {
    for (const ratio of [0, 0.25, 0.5, 1])
      expect(ratioOf(scale, frequencyAt(scale, ratio, RATE), RATE)).toBeCloseTo(ratio, 9);
    expect(frequencyAt(scale, 1, RATE)).toBeCloseTo(RATE / 2, 6);
  });
});

test("strength is in decibels below the top", () => {
  const levels = draw([sine(1_000, 1, 0.1)], 20, "linear");
  const most = levels[strongestRow(levels, 20, 10) * 20 + 10] as number;
  expect((most / 255 - 1) * RANGE_DB).toBeCloseTo(-20, 0);
  // With the top at the clip's own peak it is as strong as a loud one.
  const raised = draw([sine(1_000, 1, 0.1)], 20, "linear", -20);
  expect(raised[strongestRow(raised, 20, 10) * 20 + 10]).toBeGreaterThan(250);
});

test("a tone that begins halfway is only in the second half", () => {
  const late = new Float32Array(RATE);
  late.set(sine(2_000, 0.5), RATE / 2);
  const levels = draw([late], 20, "mel");
  const row = strongestRow(levels, 20, 15);
  expect(levels[row * 20 + 4]).toBe(0);
});

test("a click is seen however many frames a column has", () => {
  const size = pieceSize(RATE);
  const clip = new Float32Array(size * 40);
  clip[size * 21] = 1;
  const levels = draw([clip], 10, "linear");
  const sums = Array.from({ length: 10 }, (_, column) =>
    levels.reduce((sum, level, i) => (i % 10 === column ? sum + level : sum), 0),
  );
  expect(sums.indexOf(Math.max(...sums))).toBe(5);
});

test("channels that cancel each other have no spectrum, and silence has none", () => {
  const tone = sine(500, 0.5);
  expect(Math.max(...draw([tone, tone.map((sample) => -sample)], 5, "mel"))).toBe(0);
  expect(Math.max(...draw([new Float32Array(100)], 5, "mel"))).toBe(0);
});

test("what is gathered is bounded", () => {
  const long = new Float32Array(30_000_000);
  expect(gatherPieces([long], 0, long.length, 1_500, 4_096).pieces.length).toBeLessThanOrEqual(1_500 * 4_096);
  expect(gatherPieces([long], 0, long.length, 400, 512).perColumn).toBe(8);
});

test.each([
  [8_000, 256],
  [16_000, 512],
  [44_100, 2_048],
  [1_536_000, 4_096],
  [1, 64],
])("at %i Hz a piece has %i samples", (rate, size) => expect(pieceSize(rate)).toBe(size));
