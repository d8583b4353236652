import { describe, expect, it } from "vitest";
import { type Column, readTable } from "../columns";
import { sampleAnswer } from "../sample_answer";
import { makeScale } from "../scales";
import { BINS, countIncluded, makeBins } from "./head_bins";

const table = readTable(sampleAnswer());
const column = (id: string): Column => table.byId.get(id) as Column;

describe("makeBins", () => {
  it("has a bin for each category, and leaves out missing values", () => {
    const bins = makeBins(makeScale(column("h:optimizer")));
    expect([...bins.all]).toEqual([3, 1]);
    expect([...countIncluded(bins, Uint8Array.of(1, 1, 0, 1, 0))]).toEqual([1, 1]);
  });

  it("covers the whole axis of numbers", () => {
    const bins = makeBins(makeScale(column("m:val|loss|last"), "linear"));
    expect(bins.count).toBe(BINS);
    expect([bins.all[0], bins.all[BINS - 1]]).toEqual([1, 1]);
    expect(bins.all.reduce((a, b) => a + b)).toBe(5);
  });
});
