import { expect, test } from "vitest";
import type { OpRow } from "./columns";
import { clearLabels, decades, dotsOf, roof } from "./roofline";

const op = (name: string, more: Partial<OpRow>): OpRow =>
  ({
    place: "host",
    type: "op",
    name,
    total_ps: 10,
    self_ps: 5,
    device_total_ps: 0,
    device_self_ps: 0,
    ...more,
  }) as OpRow;
const peaks = { flops: 1000, bandwidth: 10 };

test("below the ridge the bandwidth is the roof, above it the peak", () => {
  expect([1, 100, 1000].map((intensity) => roof(peaks, intensity))).toEqual([10, 1000, 1000]);
});

test("ops that did the work themselves, with their share of the roof", () => {
  const rows = [
    op("aten::mm", { intensity: 50, flop_rate: 250, device_total_ps: 8, device_self_ps: 8 }),
    op("aten::linear", { intensity: 50, flop_rate: 250, device_total_ps: 8, device_self_ps: 0 }),
    op("aten::relu", { device_total_ps: 4, device_self_ps: 4 }),
    op("aten::conv2d", { intensity: 200, flop_rate: 900, device_total_ps: 20, device_self_ps: 20 }),
  ];
  expect(dotsOf(rows, peaks).map(({ row, share, timePs }) => [row.name, share, timePs])).toEqual([
    ["aten::conv2d", 0.9, 20],
    ["aten::mm", 0.5, 8],
  ]);
  expect(dotsOf(rows, null).map(({ share }) => share)).toEqual([null, null]);
});

test("without a device, by the time of the host", () => {
  expect(dotsOf([op("aten::mm", { intensity: 5, flop_rate: 1 })], null).map(({ timePs }) => timePs)).toEqual([5]);
});

test("axes are whole decades", () => {
  expect(decades([0.3, 25, 0])).toEqual([-1, 2]);
  expect(decades([])).toEqual([0, 1]);
  expect(decades([10])).toEqual([1, 2]);
});

test("a label that would cover another is left out", () => {
  const labels = [
    { left: 0, right: 10, y: 0 },
    { left: 5, right: 15, y: 6 },
    { left: 5, right: 15, y: 12 },
    { left: 20, right: 30, y: 3 },
  ];
  expect([...clearLabels(labels, 12)]).toEqual([0, 2, 3]);
});
