import { describe, expect, it } from "vitest";
import type { Column } from "./columns";
import { commonBins, discreteBins, evenBins, isDiscrete, quantileBins } from "./bins";

const NONE = Number.NaN;
const NUMBER = { kind: "hparam", type: "number", levels: null } as const;
const numbers = (...values: number[]) => ({ ...NUMBER, numbers: Float64Array.from(values) });

describe("bins of single values", () => {
  it("are those that occur, in order", () => {
    const got = discreteBins(numbers(64, 32, NONE, 64), 12);
    expect([got?.labels, [...(got?.of ?? [])], got?.ranges]).toEqual([
      ["32", "64"],
      [1, 0, -1, 1],
      [
        [32, 32],
        [64, 64],
      ],
    ]);
  });

  it("have the names of categories", () => {
    const got = discreteBins({ ...numbers(2, 0, 2), levels: ["adam", "lion", "sgd"] }, 12);
    expect([got?.labels, [...(got?.of ?? [])]]).toEqual([
      ["adam", "sgd"],
      [1, 0, 1],
    ]);
  });

  it("are not made for too many", () => {
    expect(discreteBins(numbers(1, 2, 3), 2)).toBeNull();
  });
});

it("of too many values the commonest have bins of their own", () => {
  const got = commonBins({ ...numbers(3, 3, 0, 1, 1, 2, NONE), levels: ["a", "b", "c", "d"] }, 3);
  expect([got.labels, [...got.of]]).toEqual([
    ["b", "d", "2 others"],
    [1, 1, 2, 0, 0, 2, -1],
  ]);
});

describe("bins by rank", () => {
  it("have about as many rows each", () => {
    const got = quantileBins(numbers(1, 2, 3, 4, 5, 6, 7, 8), 4);
    expect([...got.of]).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(got.labels).toEqual(["1 … 2", "3 … 4", "5 … 6", "7 … 8"]);
  });

  it("are none without values", () => {
    expect(quantileBins(numbers(NONE), 4).labels).toEqual([]);
  });

  it("are fewer where one value repeats", () => {
    const got = quantileBins(numbers(0, 0, 0, 0, 0, 0, 5, 9), 4);
    expect([...got.of]).toEqual([0, 0, 0, 0, 0, 0, 1, 1]);
    expect(got.labels).toEqual(["0", "5 … 9"]);
  });
});

it("numbers that hardly repeat were not picked from a list", () => {
  const column = (distinct: number, rows: number): Column =>
    ({ levels: null, distinct, missing: 1, numbers: new Float64Array(rows + 1) }) as Column;
  expect([column(4, 4), column(8, 8), column(8, 16), column(20, 400)].map((each) => isDiscrete(each, 12))).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

it("bins of equal width follow the axis", () => {
  const got = evenBins(numbers(1, 10, 99, 100, NONE), Math.log10, (place) => 10 ** place, 1);
  expect([...got.of]).toEqual([0, 0, 0, 0, -1]);
  const two = evenBins(
    numbers(1, 9, 10, 100),
    (value) => Math.log10(value) / 2,
    (place) => 10 ** (2 * place),
    2,
  );
  expect([[...two.of], two.labels]).toEqual([
    [0, 0, 1, 1],
    ["1 … 10", "10 … 100"],
  ]);
});
