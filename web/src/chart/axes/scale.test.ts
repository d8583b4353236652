import { describe, expect, it } from "vitest";
import { makeScale, symlogBend } from "./scale";

describe("scales", () => {
  it("go to pixels and back", () => {
    const linear = makeScale("linear", [10, 20], [100, 0]);
    expect(linear.toPx(15)).toBe(50);
    expect(linear.toValue(25)).toBe(17.5);
    const log = makeScale("log", [0.01, 100], [0, 400]);
    expect(log.toPx(1)).toBeCloseTo(200);
    expect(log.toValue(300)).toBeCloseTo(10);
    const symlog = makeScale("symlog", [-10, 1000], [0, 400]);
    for (const value of [-10, -0.5, 0, 1e-3, 7, 1000]) expect(symlog.toValue(symlog.toPx(value))).toBeCloseTo(value, 9);
  });

  it("cannot show zero and below on a log axis", () => {
    const log = makeScale("log", [1, 10], [0, 100]);
    expect([0, -1, Number.NaN].map((value) => Number.isFinite(log.toPx(value)))).toEqual([false, false, false]);
  });

  it("are symmetric around zero, linear near it and logarithmic far from it", () => {
    const { toPx } = makeScale("symlog", [-100, 100], [-100, 100]);
    expect(toPx(0)).toBe(0);
    expect(toPx(-30)).toBeCloseTo(-toPx(30));
    expect(toPx(100) - toPx(50)).toBeCloseTo(toPx(50) - toPx(25), 1);
    expect(toPx(0.02) / toPx(0.01)).toBeCloseTo(2, 0);
    expect(
      [
        [-5, 3],
        [0, 0],
      ].map((domain) => symlogBend(domain as [number, number])),
    ).toEqual([0.005, 1]);
  });
});
