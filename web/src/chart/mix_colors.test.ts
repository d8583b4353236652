import { expect, it } from "vitest";
import { mixColors, rampOf } from "./mix_colors";

it("mixes two colours", () => {
  expect(mixColors("#000000", "#ff8040", 0.5)).toBe("#804020");
  expect([mixColors("#123456", "#abcdef", 0), mixColors("#123456", "#abcdef", 1)]).toEqual(["#123456", "#abcdef"]);
});

it("goes from the background past the colour", () => {
  const ramp = rampOf("#ffffff", "#2663f1", "#1a2030");
  expect(ramp).toHaveLength(256);
  expect(ramp[0]).toBe("#ffffff");
  expect(ramp[Math.floor(0.7 * 255)]).toBe("#2763f1");
  expect(rampOf("#ffffff", "#2663f1", "#1a2030")).toBe(ramp);
});
