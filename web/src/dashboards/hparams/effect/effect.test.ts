import { describe, expect, it } from "vitest";
import { discreteBins } from "../bins";
import { effectOf, settingsKeys, verdictOf } from "./effect";

const NONE = Number.NaN;
const binsOf = (...values: number[]) => {
  const bins = discreteBins({ kind: "hparam", type: "number", numbers: Float64Array.from(values), levels: null }, 12);
  if (!bins) throw new Error("too many values");
  return bins;
};

describe("keys of settings", () => {
  it("are equal where all settings are", () => {
    const keys = settingsKeys([Float64Array.of(1, 1, 2, 1, NONE, NONE), Float64Array.of(5, 5, 5, 6, 5, 5)], 6);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[4]).toBe(keys[5]);
    expect(new Set(keys).size).toBe(4);
  });

  it("are one without other settings", () => {
    expect([...settingsKeys([], 3)]).toEqual([0, 0, 0]);
  });
});

describe("the effect of a setting", () => {
  // A grid of 2 × 3: the other setting moves the metric by 10 each, this one by 1, with noise of 0.1.
  const setting = [0, 1, 0, 1, 0, 1];
  const other = Float64Array.of(0, 0, 1, 1, 2, 2);
  const metric = Float64Array.of(0, 1.1, 10, 10.9, 20, 21);

  it("is found by matching where the other settings hide it", () => {
    const [base, level] = effectOf(metric, binsOf(...setting), 0, settingsKeys([other], 6));
    expect([base?.difference, base?.matched, base?.n]).toEqual([null, null, 3]);
    expect(level?.difference?.value).toBeCloseTo(1, 12);
    expect(level?.difference && verdictOf(level.difference, "max")).toBe("unclear");
    expect([level?.matched?.sets, level?.matched?.runs]).toEqual([3, 6]);
    expect(level?.matched?.difference.value).toBeCloseTo(1, 12);
    // Student's factor for 2 degrees of freedom times 0.1 / √3.
    expect(level?.matched?.difference.low).toBeCloseTo(1 - (4.3027 * 0.1) / Math.sqrt(3), 3);
    expect(level?.matched && verdictOf(level.matched.difference, "max")).toBe("better");
    expect(level?.matched && verdictOf(level.matched.difference, "min")).toBe("worse");
  });

  it("counts several seeds of one combination once", () => {
    const got = effectOf(Float64Array.of(1, 3, 7), binsOf(0, 0, 1), 0, new Int32Array(3));
    expect(got[1]?.matched).toEqual({ sets: 1, runs: 3, difference: { value: 5, low: NONE, high: NONE } });
  });

  it("leaves out rows without a value, without a match or outside", () => {
    const got = effectOf(
      Float64Array.of(1, 2, NONE, 4, 9),
      binsOf(0, 1, 1, 1, 1),
      0,
      Int32Array.of(0, -1, 0, 0, 0),
      Uint8Array.of(1, 1, 1, 1, 0),
    );
    expect([got[1]?.n, got[1]?.mean.value]).toEqual([2, 3]);
    expect([got[1]?.matched?.sets, got[1]?.matched?.difference.value]).toEqual([1, 3]);
  });

  it("is not made up where nothing can be matched", () => {
    const got = effectOf(Float64Array.of(1, 2), binsOf(0, 1), 0, Int32Array.of(0, 1));
    expect([got[1]?.difference?.value, got[1]?.matched]).toEqual([1, null]);
  });
});
