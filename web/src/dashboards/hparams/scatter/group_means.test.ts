import { expect, it } from "vitest";
import type { Bins } from "../bins";
import { readTable } from "../columns";
import { hparam, sampleAnswer } from "../sample_answer";
import { groupBins, groupMeans, radiiOf } from "./group_means";

it("means are those of included rows with both values, with intervals", () => {
  const bins: Bins = { labels: ["a", "b", "none"], of: Int32Array.of(0, 0, 0, 1, -1), ranges: [], isDiscrete: true };
  const got = groupMeans(
    Float32Array.of(0, 0.5, Number.NaN, 0.25, 1),
    Float32Array.of(1, 1, 0, 0.75, 1),
    bins,
    Uint8Array.of(1, 1, 1, 1, 1),
  );
  expect(got.map(({ label, n, x, y }) => [label, n, x.value, y.value])).toEqual([
    ["a", 2, 0.25, 1],
    ["b", 1, 0.25, 0.75],
  ]);
  expect([got[0]?.y.low, got[1]?.x.low]).toEqual([1, Number.NaN]);
  expect(groupMeans(Float32Array.of(1), Float32Array.of(1), bins, Uint8Array.of(0))).toEqual([]);
});

it("areas grow with the value", () => {
  const [none, least, half, most] = radiiOf(Float32Array.of(Number.NaN, 0, 0.5, 1), 9);
  expect([none, least, most].map((each) => Number(each?.toFixed(3)))).toEqual([0.8, 1.6, 9]);
  expect(Number(half) ** 2).toBeCloseTo((1.6 ** 2 + 81) / 2, 3);
});

it("groups are values, or parts of the runs where values hardly repeat", () => {
  const labels = (rows: number, value: (row: number) => number): number => {
    const values = Array.from({ length: rows }, (_, row) => value(row));
    const table = readTable(sampleAnswer(rows, { hparams: [hparam("x", { values })] }));
    return groupBins(table.columns.find(({ id }) => id === "h:x") as never).labels.length;
  };
  expect(labels(40, (row) => row % 6)).toBe(6);
  expect(labels(40, (row) => row)).toBe(4);
  expect(labels(8, (row) => row)).toBe(2);
});
