import { describe, expect, it } from "vitest";
import { type Column, readTable } from "./columns";
import { hparam, metric, sampleAnswer } from "./sample_answer";
import { chooseScale, makeScale, possibleScales } from "./scales";

const numbers = (values: readonly (number | string | null)[]): Column =>
  readTable(sampleAnswer(values.length, { hparams: [hparam("x", { values })] })).byId.get("h:x") as Column;
const scores = (values: readonly number[]): Column =>
  readTable(sampleAnswer(values.length, { metrics: [metric("x", { values })] })).byId.get("m:|x|last") as Column;
const range = (count: number, make: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe("chooseScale", () => {
  it("follows the data", () => {
    expect(chooseScale(numbers([32, 64, 128, 32]))).toBe("category");
    expect(chooseScale(numbers(range(20, (i) => 10 ** (-i / 4))))).toBe("log");
    expect(chooseScale(numbers([0, ...range(20, (i) => 10 ** (-i / 4))]))).toBe("log");
    expect(chooseScale(numbers(range(20, (i) => i / 40)))).toBe("linear");
    expect(chooseScale(numbers([-1, ...range(20, (i) => 10 ** (-i / 4))]))).toBe("linear");
    expect(chooseScale(scores([0, ...range(30, (i) => 0.9 + i / 1000)]))).toBe("quantile");
    expect(chooseScale(numbers([null, null]))).toBe("linear");
  });

  it("offers only what can show the column", () => {
    expect(possibleScales(numbers([-1, 2]))).toEqual(["linear", "quantile", "category"]);
    expect(possibleScales(numbers(range(100, (i) => i)))).toEqual(["linear", "log", "quantile"]);
  });
});

describe("makeScale", () => {
  it("places values between 0 and 1, and tells rows without a place", () => {
    const scale = makeScale(numbers([10, "NaN", 30, null, 20]), "linear");
    expect([...scale.places]).toEqual([0, Number.NaN, 1, Number.NaN, 0.5]);
    expect(scale.missingRows).toEqual([1, 3]);
    expect(scale.valueAt(0.25)).toBe(15);
  });

  it("keeps zero below the others on a logarithmic axis", () => {
    const scale = makeScale(numbers([0, 1e-4, 1e-2, 1]), "log");
    const [zero, first, middle, last] = [...scale.places] as [number, number, number, number];
    expect([zero, last]).toEqual([0, 1]);
    expect(first).toBeGreaterThan(0.05);
    expect(middle - first).toBeCloseTo(last - middle, 5);
    expect(scale.valueAt(0)).toBe(0);
    expect(scale.valueAt(middle)).toBeCloseTo(1e-2, 6);
    expect(scale.ticks(5)[0]).toEqual({ at: 0, text: "0" });
  });

  it("ranks by quantile, equal values together", () => {
    const scale = makeScale(scores([5, 1, 1, 1, 100]), "quantile");
    expect([...scale.places].map((place) => Number(place.toFixed(3)))).toEqual([0.75, 0.25, 0.25, 0.25, 1]);
    expect(scale.valueAt(1)).toBe(100);
    expect(scale.placeValue(1000)).toBe(1);
  });

  it("gives each category a band", () => {
    const scale = makeScale(numbers([128, 32, 64, 32]), "category");
    expect(scale.categories?.map(({ text }) => text)).toEqual(["32", "64", "128"]);
    expect(scale.place(1)).toBeCloseTo(1 / 6);
    expect([scale.valueAt(0), scale.valueAt(0.5), scale.valueAt(1)]).toEqual([32, 64, 128]);
  });

  it("puts a single value in the middle, and falls back when the kind is impossible", () => {
    expect(makeScale(numbers([7, 7]), "linear").place(0)).toBe(0.5);
    expect(makeScale(numbers([7, 7]), "linear").ticks(5)).toEqual([{ at: 0.5, text: "7" }]);
    expect(makeScale(numbers(range(20, (i) => i - 5)), "log").kind).toBe("linear");
  });
});
