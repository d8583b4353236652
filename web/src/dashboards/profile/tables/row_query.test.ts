import { expect, test } from "vitest";
import { fulfils, parseRowQuery } from "./row_query";

const isColumn = (name: string): boolean => ["self", "calls", "share", "flop/byte"].includes(name);

test("conditions on columns are taken out of the words, with their units", () => {
  expect(parseRowQuery("Conv self>1.5ms  calls<=10 backward share>=5% flop/byte<2", isColumn)).toEqual({
    words: "conv backward",
    conditions: [
      { column: "self", operator: ">", value: 1.5e9 },
      { column: "calls", operator: "<=", value: 10 },
      { column: "share", operator: ">=", value: 0.05 },
      { column: "flop/byte", operator: "<", value: 2 },
    ],
  });
});

test("what is no condition is a word", () => {
  for (const typed of ["aten::add_", "other>5", "self>", "self>x", "self>5parsecs", "a=b", "<string>:5"])
    expect(parseRowQuery(typed, isColumn)).toEqual({ words: typed, conditions: [] });
  expect(parseRowQuery("  ", isColumn)).toEqual({ words: "", conditions: [] });
});

test("cells are compared, and a missing one fulfils nothing", () => {
  const of = (operator: string): boolean[] =>
    [1, 2, 3].map((cell) => fulfils(cell, { column: "", operator, value: 2 }));
  expect(of(">")).toEqual([false, false, true]);
  expect(of(">=")).toEqual([false, true, true]);
  expect(of("<")).toEqual([true, false, false]);
  expect(of("<=")).toEqual([true, true, false]);
  expect(of("=")).toEqual([false, true, false]);
  expect(fulfils(null, { column: "", operator: "<", value: 2 })).toBe(false);
});
