import { expect, test } from "vitest";
import type { Category } from "../answer";
import { meaningShares } from "./busy";

const category = (meaning: string): Category => ({ name: meaning, meaning, place: "device", events: 1 });

test("shares are of the device alone, by meaning, the largest first", () => {
  const strip = {
    place: Int32Array.of(1, 1, 1, 0),
    category: Int32Array.of(0, 1, 0, 1),
    pixel: Int32Array.of(0, 0, 1, 0),
    share: Float64Array.of(0.25, 0.25, 0.5, 9),
    busy: 0.5,
  };
  const categories = [category("convolution"), category("copy")];
  expect(meaningShares(strip, categories, true)).toEqual([
    { meaning: "convolution", share: 0.75 },
    { meaning: "copy", share: 0.25 },
  ]);
  expect(meaningShares(strip, categories, false)).toEqual([{ meaning: "copy", share: 1 }]);
});
