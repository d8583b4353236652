import { describe, expect, it } from "vitest";
import { type Column, readTable } from "./columns";
import { bootstrapDifference, makeHeadline } from "./headline";
import { metric, sampleAnswer } from "./sample_answer";

const scores = (values: readonly (number | null)[], goal: "min" | "max" = "max"): Column =>
  readTable(sampleAnswer(values.length, { metrics: [metric("x", { values, goal })] })).byId.get("m:|x|last") as Column;

describe("makeHeadline", () => {
  const column = scores([1, 2, 3, null, 11, 12, 13]);
  const first = Uint8Array.of(1, 1, 1, 1, 0, 0, 0);

  it("compares medians and names the best run by the goal", () => {
    const { median, rest, difference, best } = makeHeadline(column, first, false);
    expect([median, rest, difference?.value, best]).toEqual([2, 12, -10, { row: 2, value: 3 }]);
    expect(difference?.low).toBeLessThan(-10);
    expect(difference?.high).toBeGreaterThan(-10);
    expect(makeHeadline(scores([1, 2, 3], "min"), Uint8Array.of(0, 1, 1), false).best).toEqual({ row: 1, value: 2 });
  });

  it("says no difference when the metric itself is brushed, or with too few runs", () => {
    expect(makeHeadline(column, first, true)).toMatchObject({ median: 2, rest: null, difference: null });
    expect(makeHeadline(column, Uint8Array.of(1, 0, 0, 0, 0, 0, 0), false).difference).toBeNull();
    expect(makeHeadline(null, first, false)).toEqual({ median: null, rest: null, difference: null, best: null });
  });
});

describe("bootstrapDifference", () => {
  it("has about the width that theory gives, for small and large samples", () => {
    // Uniform values: the standard error of a median is 1 / (2 √n).
    for (const n of [25, 400]) {
      const values = Float64Array.from({ length: n }, (_, i) => i / (n - 1));
      const [low, high] = bootstrapDifference(values, values);
      const expected = (2 * 1.96 * Math.SQRT2) / (2 * Math.sqrt(n));
      expect((high - low) / expected).toBeGreaterThan(0.8);
      expect((high - low) / expected).toBeLessThan(1.25);
      expect(Math.abs(low + high)).toBeLessThan(expected / 5);
    }
  });
});
