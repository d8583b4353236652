import { describe, expect, it } from "vitest";
import { compileQuery } from "../state/runs/run_query";
import type { RunColumn } from "../state/view/view";
import { type ColumnFilter, filterText, findFilter, operandText, splitQuery, withFilter } from "./column_filter";

const LR: RunColumn = { kind: "hparam", name: "lr" };
const OPTIMIZER: RunColumn = { kind: "hparam", name: "optimizer" };
const ACC: RunColumn = { kind: "metric", tag: "val/acc", stat: "max" };
const CATALOG = {
  hparams: [
    { name: "lr", type: "number" as const },
    { name: "optimizer", type: "string" as const },
    { name: "bias", type: "bool" as const },
    { name: "note", type: "string" as const },
  ],
  tags: new Set(["val/acc", "odd tag"]),
};
const interval = (low: number | null, high: number | null, hasMissing = false): ColumnFilter => ({
  kind: "interval",
  low,
  high,
  hasMissing,
});
const values = (list: readonly (number | string | boolean)[], hasMissing = false): ColumnFilter => ({
  kind: "values",
  values: list,
  hasMissing,
});

describe("the filter of a column", () => {
  it.each<[RunColumn, ColumnFilter, string]>([
    [LR, interval(0.001, 0.1), "(lr >= 0.001 and lr <= 0.1)"],
    [LR, interval(0.001, null), "lr >= 0.001"],
    [LR, interval(null, -1e-7, true), "(lr <= -1e-7 or lr is missing)"],
    [LR, interval(0.001, 0.1, true), "(lr >= 0.001 and lr <= 0.1 or lr is missing)"],
    [LR, interval(null, null), "lr is not missing"],
    [LR, values([0.1, 1e-5]), "lr in (0.1, 0.00001)"],
    [OPTIMIZER, values(["adam", 'a "b"']), 'optimizer in ("adam", "a \\"b\\"")'],
    [OPTIMIZER, values(["adam"], true), '(optimizer in ("adam") or optimizer is missing)'],
    [OPTIMIZER, values([], true), "optimizer is missing"],
    [OPTIMIZER, values([]), "(optimizer is missing and optimizer is not missing)"],
    [{ kind: "hparam", name: "bias" }, values([true]), "bias == true"],
    [{ kind: "hparam", name: "bias" }, values([true, false]), "(bias == true or bias == false)"],
    [{ kind: "hparam", name: "note" }, values(["x"]), 'hparam(note) in ("x")'],
    [ACC, interval(0.9, null), "max(val/acc) >= 0.9"],
    [
      { kind: "metric", tag: "odd tag", stat: "at_step", step: 5 },
      interval(1, 2),
      "(at(`odd tag`, 5) >= 1 and at(`odd tag`, 5) <= 2)",
    ],
    [{ kind: "info", name: "duration" }, interval(60, null), "duration >= 60"],
  ])("of %o is written as a query and read back", (column, filter, text) => {
    expect(withFilter("", column, filter)).toBe(text);
    expect(findFilter(text, column)).toEqual(filter);
    expect(() => compileQuery(text, CATALOG)).not.toThrow();
    expect(withFilter(text, column, null)).toBe("");
  });

  it("replaces its own part and leaves the others alone", () => {
    const query = '(lr >= 0.001 and lr <= 0.1) and starred and optimizer in ("adam")';
    expect(withFilter(query, LR, interval(null, 1))).toBe('lr <= 1 and starred and optimizer in ("adam")');
    expect(withFilter(query, OPTIMIZER, null)).toBe("(lr >= 0.001 and lr <= 0.1) and starred");
    expect(withFilter("starred or hidden", LR, interval(1, null))).toBe("(starred or hidden) and lr >= 1");
    expect(withFilter("lr < 3", LR, interval(1, null))).toBe("lr < 3 and lr >= 1");
    expect(withFilter("lr in (1) and starred", LR, interval(null, null, true))).toBe("starred");
  });

  it("is not found in what only looks like one", () => {
    for (const query of ["lr > 1", "lr >= 1 or starred", "lr in (1) or lr >= 2", "lr >= ", "not lr >= 1", "lr >= &"])
      expect(findFilter(query, LR)).toBeNull();
    expect(findFilter("lr_decay >= 1", LR)).toBeNull();
  });

  it("splits only at the top", () => {
    expect(splitQuery("a and (b or c) and name == 'x and y'")).toEqual(["a", "(b or c)", "name == 'x and y'"]);
    expect(splitQuery("  ")).toEqual([]);
  });

  it("has a short text", () => {
    expect(filterText(interval(1, 2), String)).toBe("1 … 2");
    expect(filterText(interval(null, 2, true), String)).toBe("≤ 2 or missing");
    expect(filterText(values(["adam", "sgd"], true), String)).toBe("adam, sgd, missing");
    expect(operandText({ kind: "metric", tag: "a", stat: "at_best", best: "max", bestTag: "b" })).toBe("at(a, max(b))");
  });
});
