import { describe, expect, it } from "vitest";
import { SMOOTHING_MAX } from "../state/view/view";
import { KINDS, kindInfo, nudge, unitOf } from "./smoothing_kinds";

describe("smoothing kinds", () => {
  it("have matching units", () => {
    expect([
      unitOf("ema", "step"),
      unitOf("time_ema", "step"),
      unitOf("time_ema", "wall"),
      unitOf("time_ema", "epoch"),
      unitOf("median", "step"),
    ]).toEqual(["", "steps", "s", "", "points"]);
  });

  it("go up and down in notches, within bounds", () => {
    expect(nudge({ kind: "ema", amount: 0.6 }, 1).amount).toBeCloseTo(0.7);
    expect(nudge({ kind: "ema", amount: 0.95 }, 1).amount).toBe(SMOOTHING_MAX);
    for (const { kind, max } of KINDS) {
      let amount = 0;
      for (let i = 0; i < 12; i++) amount = nudge({ kind, amount }, 1).amount;
      expect(amount).toBe(max);
      for (let i = 0; i < 14; i++) amount = nudge({ kind, amount }, -1).amount;
      expect(amount).toBe(0);
      expect(kindInfo(kind).usual).toBeLessThan(max);
    }
  });
});
