import { expect, test } from "vitest";
import { quantityText, shareChange, signed, threeDigits } from "./quantities";

test("numbers have three digits", () => {
  expect([0, 0.0412, 0.00712, 1.737, 60.52, 128.4, 1842, 2.5e7, 1e-5, -0.5, Number.NaN].map(threeDigits)).toEqual([
    "0",
    "0.041",
    "0.0071",
    "1.74",
    "60.5",
    "128",
    "1,842",
    "2.5e7",
    "1.0e−5",
    "−0.500",
    "NaN",
  ]);
});

test("units follow the size", () => {
  expect(quantityText(41.2, "us")).toBe("41.2 µs");
  expect(quantityText(41_200, "us")).toBe("41.2 ms");
  expect(quantityText(7_864_320, "bytes")).toBe("7.86 MB");
  expect(quantityText(512, "bytes")).toBe("512 B");
  expect(quantityText(60_515_328, "count")).toBe("60.5 M");
  expect(quantityText(999_900, "count")).toBe("1.00 M");
  expect(quantityText(0, "count")).toBe("0");
  expect(quantityText(0.412, "")).toBe("0.412");
});

test("changes have a sign", () => {
  expect([18, -14_080, 0].map(signed)).toEqual(["+18", "−14,080", "0"]);
  expect(shareChange(38.21e9, 38.16e9)).toBe("−0.130 %");
  expect([shareChange(5, 5), shareChange(0, 4)]).toEqual(["", ""]);
});
