import { expect, it } from "vitest";
import { readTable } from "../columns";
import { metric, sampleAnswer } from "../sample_answer";
import { makeShares } from "./bar_shares";

const columnOf = (...values: (number | null)[]) => {
  const answer = sampleAnswer(values.length, { metrics: [metric("x", { values })] });
  return readTable(answer).columns[0] as NonNullable<ReturnType<typeof readTable>["columns"][0]>;
};

it("a bar begins at zero, unless all values are far from it", () => {
  expect(makeShares()(columnOf(1, 4, null), 2)).toBeCloseTo(0.06 + 0.94 / 2);
  expect(makeShares()(columnOf(90, 100), 90)).toBeCloseTo(0.06);
  expect(makeShares()(columnOf(-4, 4), 0)).toBeCloseTo(0.06 + 0.94 / 2);
});

it("a column of equal values has full bars", () => {
  expect(makeShares()(columnOf(3, 3), 3)).toBe(1);
});
