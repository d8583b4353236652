import { expect, test } from "vitest";
import { cssFilter, svgFilter } from "./filters";
import { PLAIN } from "./options";

test("channel and gamma come first, then contrast and brightness", () => {
  const display = { ...PLAIN, gamma: 2, contrast: 3, brightness: 0.5 };
  expect(cssFilter(display, "f")).toBe("url(#f) contrast(3) brightness(0.5)");
  expect(svgFilter(display)).toEqual({ matrix: null, exponent: 0.5 });
});
