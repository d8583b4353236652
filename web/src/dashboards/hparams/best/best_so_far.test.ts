import { expect, it } from "vitest";
import { readTable } from "../columns";
import { sampleAnswer } from "../sample_answer";
import { bestSoFar, runsSinceRecord } from "./best_so_far";
import { resultTimes } from "./result_times";

const NONE = Number.NaN;

it("the best so far follows the time of the results", () => {
  const got = bestSoFar(Float64Array.of(3, 1, 2, NONE), "max", Float64Array.of(40, 10, 20, 30));
  expect(got.order).toEqual([1, 2, 3, 0]);
  expect([...got.best]).toEqual([1, 2, 2, 3]);
  expect(got.records).toEqual([
    { row: 1, value: 1, count: 1, time: 10, gain: NONE },
    { row: 2, value: 2, count: 2, time: 20, gain: 1 },
    { row: 0, value: 3, count: 4, time: 40, gain: 1 },
  ]);
  expect(runsSinceRecord(got)).toBe(0);
});

it("rows without a time come last, and equal values are no records", () => {
  const got = bestSoFar(Float64Array.of(1, 5, 1, 1), "min", Float64Array.of(NONE, 1, 2, NONE));
  expect(got.order).toEqual([1, 2, 0, 3]);
  expect(got.records.map(({ row }) => row)).toEqual([1, 2]);
  expect(runsSinceRecord(got)).toBe(2);
});

it("only included rows count; without any value there is no best", () => {
  const got = bestSoFar(Float64Array.of(9, NONE, 4), "max", Float64Array.of(1, 2, 3), Uint8Array.of(0, 1, 1));
  expect([...got.best]).toEqual([NONE, 4]);
  const none = bestSoFar(Float64Array.of(NONE), "max", Float64Array.of(1));
  expect([none.records, runsSinceRecord(none)]).toEqual([[], 1]);
});

it("a result is there at the end of its run, or at the start where no end is known", () => {
  const table = readTable(sampleAnswer(3, { started: [100, 200, null], ended: [150, null, 900] }));
  expect([...resultTimes(table)]).toEqual([150, 200, NONE]);
});
