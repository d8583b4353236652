import { describe, expect, it } from "vitest";
import type { Goal } from "../answer";
import { type Objective, paretoFront, stairRows } from "./front";

const objective = (goal: Goal, ...values: number[]): Objective => ({ goal, numbers: Float64Array.from(values) });
const rowsOf = (front: Uint8Array): number[] => [...front.keys()].filter((row) => front[row] === 1);

/** By the definition, pair by pair. */
function slowFront(objectives: readonly Objective[]): number[] {
  const rows = [...(objectives[0] as Objective).numbers.keys()];
  const cost = (row: number): number[] =>
    objectives.map(({ numbers, goal }) => (goal === "min" ? 1 : -1) * (numbers[row] as number));
  const complete = rows.filter((row) => cost(row).every((value) => !Number.isNaN(value)));
  return complete.filter(
    (row) =>
      !complete.some((other) => {
        const pairs = cost(other).map((value, i) => value - (cost(row)[i] as number));
        return pairs.every((difference) => difference <= 0) && pairs.some((difference) => difference < 0);
      }),
  );
}

describe("the front", () => {
  it("follows the goals", () => {
    const accuracy = objective("max", 0.9, 0.95, 0.8, 0.95);
    const latency = objective("min", 5, 20, 9, 30);
    expect(rowsOf(paretoFront([accuracy, latency]))).toEqual([0, 1]);
    expect(rowsOf(paretoFront([{ ...accuracy, goal: "min" }, latency]))).toEqual([0, 2]);
  });

  it("keeps equal rows, and none without a value", () => {
    const a = objective("min", 1, 1, 2, Number.NaN);
    const b = objective("min", 3, 3, 4, 0);
    expect(rowsOf(paretoFront([a, b]))).toEqual([0, 1]);
  });

  it("of one metric is its best rows", () => {
    expect(rowsOf(paretoFront([objective("max", 1, 3, 3, 2)]))).toEqual([1, 2]);
  });

  it("is that of the included rows alone", () => {
    const a = objective("min", 1, 2, 3);
    const b = objective("min", 1, 3, 2);
    expect(rowsOf(paretoFront([a, b], Uint8Array.of(0, 1, 1)))).toEqual([1, 2]);
  });

  it("equals the definition for two, three and four metrics", () => {
    let seed = 7;
    const next = (): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
    for (const count of [2, 3, 4])
      for (let round = 0; round < 20; round++) {
        const objectives = Array.from({ length: count }, (_, i) =>
          objective(
            (i + round) % 2 === 0 ? "min" : "max",
            ...Array.from({ length: 40 }, () => (next() < 0.1 ? Number.NaN : Math.round(next() * 12))),
          ),
        );
        expect(rowsOf(paretoFront(objectives))).toEqual(slowFront(objectives));
      }
  });
});

it("a stair goes from the best x on", () => {
  const x = objective("max", 1, 5, 3);
  expect(stairRows(Uint8Array.of(1, 1, 0), x)).toEqual([1, 0]);
});
