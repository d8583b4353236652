import { describe, expect, it } from "vitest";
import { toSeries } from "../../../chart/model";
import type { CardLine } from "../../../lines/card_model";
import { trainingOfRun } from "../../../state/runs/trainings";
import { makeReadout, type ReadoutFacts } from "./readout_rows";

const line = (run: string, ...values: number[]): CardLine => ({
  run,
  tag: "loss",
  role: "smoothed",
  generation: 1,
  total: values.length,
  series: toSeries(
    Float64Array.from(values, (_, i) => i * 10),
    Float64Array.from(values),
  ),
});

const read = (lines: readonly CardLine[], facts: Partial<ReadoutFacts> = {}) =>
  makeReadout(lines, { at: 20, goal: "min", trainingOf: trainingOfRun, ...facts });
const order = (lines: readonly CardLine[], facts: Partial<ReadoutFacts> = {}): string[] =>
  read(lines, facts).rows.map(({ name, value, train, isBest }) =>
    [name, value?.value ?? "-", train?.value ?? "-", ...(isBest ? ["best"] : [])].join(" "),
  );

describe("the readout at the cursor", () => {
  const parts = [
    line("a/train", 3, 2, 1),
    line("a/validation", 4, 3, 2.5),
    line("b/train", 3, 2, 0.5),
    line("b/validation", 4, 3, 3),
  ];

  it("has validation and train side by side, best validation first", () => {
    expect(order(parts)).toEqual(["a 2.5 1 best", "b 3 0.5"]);
    expect(order(parts, { goal: "max" })).toEqual(["b 3 0.5 best", "a 2.5 1"]);
    expect(read(parts)).toMatchObject({ hasValue: true, hasTrain: true, isAllCheck: true });
  });

  it("has one column of runs without parts, and no best one where the goal is not known", () => {
    const runs = [line("x", 1, 2, 3), line("y", 1, 2, 4)];
    expect(order(runs, { goal: null })).toEqual(["y 4 -", "x 3 -"]);
    expect(read(runs)).toMatchObject({ hasValue: true, hasTrain: false, isAllCheck: false });
  });

  it("has trainings without validation after those that have some", () => {
    expect(order([line("c/train", 0, 0, 0), ...parts, line("plain", 0, 0, 2)])).toEqual([
      "plain 2 - best",
      "a 2.5 1",
      "b 3 0.5",
      "c - 0",
    ]);
    expect(order([line("c/train", 0, 0, 0), line("d/train", 0, 0, 1)])).toEqual(["c - 0 best", "d - 1"]);
  });

  it("takes a parent for the training part where there is no other", () => {
    expect(order([line("a", 0, 0, 1), line("a/validation", 0, 0, 2)])).toEqual(["a 2 1"]);
    expect(order([line("a", 0, 0, 5), ...parts.slice(0, 2)])).toEqual(["a 2.5 1 best", "a 5 -"]);
  });

  it("has a row of its own for a second validation part", () => {
    expect(order([line("a/validation", 0, 0, 1), line("a/test", 0, 0, 2), line("a/train", 0, 0, 0)])).toEqual([
      "a 1 0 best",
      "a/test 2 -",
    ]);
    // Also where the test is listed first, as in the order of names.
    expect(order([line("a/test", 0, 0, 1), line("a/train", 0, 0, 0), line("a/validation", 0, 0, 2)])).toEqual([
      "a/test 1 - best",
      "a 2 0",
    ]);
    expect(order([line("a/test", 0, 0, 1), line("a/train", 0, 0, 0)])).toEqual(["a 1 0"]);
  });

  it("has runs that are not finite last, with the first x where they are not", () => {
    const runs = [line("bad/train", 1, NaN, NaN), line("bad/validation", 1, 2, NaN), line("good", 1, 1, 5)];
    const { rows } = read(runs);
    expect(rows.map(({ name, notFinite }) => [name, notFinite])).toEqual([
      ["good", null],
      ["bad", { word: "NaN", x: 10 }],
    ]);
    expect(read([line("up", 1, Infinity)]).rows[0]?.notFinite).toEqual({ word: "∞", x: 10 });
  });

  it("says which lines have ended long before, and takes exact values where they are known", () => {
    const runs = [line("short", 1, 2), line("long", 1, 2, 3, 4, 5, 6)];
    const facts = { at: 48, exact: (run: string) => (run === "long" ? 5.5 : undefined) };
    expect(read(runs, facts).rows.map(({ value }) => value)).toEqual([
      { run: "short", value: 2, x: 10, isBeyond: true },
      { run: "long", value: 5.5, x: 50, isBeyond: false },
    ]);
  });
});
