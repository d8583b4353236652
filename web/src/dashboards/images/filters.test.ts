import { expect, test } from "vitest";
import { cssFilter, svgFilter } from "./filters";
import { PLAIN } from "./options";

test("channel and gamma come first, then contrast and brightness", () => {
  const look = { ...PLAIN, gamma: 2, contrast: 3, brightness: 0.5 };
  expect(cssFilter(look, "f")).toBe("url(#f) contrast(3) brightness(0.5)");
  expect(svgFilter(look)).toEqual({ matrix: null, exponent: 0.5 });
});
