import { describe, expect, it } from "vitest";
import { delaysTiming, formatSeconds, frameAt, guessedTiming, insideFrame, timingOf } from "./frame_clock";

describe("frame clock", () => {
  const timing = delaysTiming([100, 50, 200]);

  it("knows which frame is seen when", () => {
    expect(timing.durationS).toBeCloseTo(0.35);
    expect([-1, 0, 0.0999, 0.1, 0.149999, 0.3, 9].map((time) => frameAt(timing, time))).toEqual([0, 0, 0, 1, 2, 2, 2]);
  });

  it("goes well inside every frame", () => {
    expect([0, 1, 2].map((index) => frameAt(timing, insideFrame(timing, index)))).toEqual([0, 1, 2]);
    expect(insideFrame(timing, 2)).toBeCloseTo(0.25);
  });

  it("shows the last frame as long as the others where the end is not known", () => {
    expect(timingOf(Float64Array.of(0, 0.1, 0.2), Number.POSITIVE_INFINITY).durationS).toBeCloseTo(0.3);
    expect(timingOf(Float64Array.of(0, 0.1, 0.2), 0.25).durationS).toBe(0.25);
    expect(timingOf(Float64Array.of(0), Number.NaN).durationS).toBeCloseTo(0.04);
  });

  it("guesses, within reason", () => {
    expect(guessedTiming(2).startsS).toHaveLength(50);
    expect(guessedTiming(0).startsS).toHaveLength(1);
    expect(guessedTiming(1e9).startsS).toHaveLength(100_000);
  });

  it("writes times", () => {
    expect([0, 1.234, 61.25].map(formatSeconds)).toEqual(["0.00 s", "1.23 s", "1:01.3 min"]);
  });
});
