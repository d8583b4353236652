import { expect, test } from "vitest";
import { wheelFactor } from "./wheel";

test("zooms out with the wheel down and never jumps", () => {
  expect(wheelFactor({ deltaX: 0, deltaY: 100, deltaMode: 0 })).toBeGreaterThan(1);
  expect(wheelFactor({ deltaX: 0, deltaY: -3, deltaMode: 1 })).toBeLessThan(1);
  expect(wheelFactor({ deltaX: 0, deltaY: 1e6, deltaMode: 2 })).toBeLessThan(3);
});
