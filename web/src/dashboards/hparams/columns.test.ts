import { describe, expect, it } from "vitest";
import {
  absentText,
  cellOf,
  cellText,
  type Column,
  isConstant,
  metricId,
  pickRows,
  readMetricId,
  readTable,
} from "./columns";
import { hparam, sampleAnswer } from "./sample_answer";

const table = readTable(sampleAnswer());
const column = (id: string, of = table): Column => of.byId.get(id) as Column;

describe("readTable", () => {
  it("keeps missing, NaN and infinite values apart", () => {
    const accuracy = column("m:|accuracy|last");
    expect([...accuracy.state]).toEqual([0, 2, 0, 0, 1]);
    expect(accuracy.numbers[1]).toBeNaN();
    expect([cellOf(accuracy, 1), cellOf(accuracy, 4)]).toEqual([Number.NaN, null]);
    expect([cellText(accuracy, 1), cellText(accuracy, 4)]).toEqual(["NaN", ""]);
    expect(absentText(accuracy)).toBe("missing, NaN");
    const infinite = readTable(sampleAnswer(2, { hparams: [hparam("x", { values: ["Infinity", "-Infinity"] })] }));
    expect([...column("h:x", infinite).state]).toEqual([3, 4]);
    expect(cellOf(column("h:x", infinite), 1)).toBe(-Infinity);
    expect(column("h:x", infinite).distinct).toBe(2);
  });

  it("reads levels, and the session's own columns without levels that do not occur", () => {
    expect(cellText(column("h:optimizer"), 0)).toBe("adam");
    expect(cellOf(column("h:optimizer"), 3)).toBeNull();
    expect(column("h:optimizer").missing).toBe(1);
    expect(column("s:status").levels).toEqual(["running", "finished"]);
    expect(column("s:group").missing).toBe(3);
    expect(column("s:host").distinct).toBe(0);
    expect([...column("s:duration").numbers].slice(1)).toEqual([101, 102, 103, 104]);
  });

  it("names metrics of sub-runs, and takes the goal that the user set", () => {
    const loss = column("m:val|loss|last");
    expect([loss.name, loss.detail, loss.goal]).toEqual(["val/loss", "last", "min"]);
    const changed = readTable(sampleAnswer(), new Map([["m:val|loss|last", "max"]]));
    expect(column("m:val|loss|last", changed).goal).toBe("max");
  });

  it("knows constant columns and the row of every run", () => {
    expect(table.columns.filter(isConstant).map(({ id }) => id)).toEqual(["h:epochs"]);
    expect([table.rowOfRun.get("trial-2"), table.rowOfRun.get("trial-2/val")]).toEqual([2, 2]);
  });

  it("writes hyperparameters as they were typed, or short", () => {
    const values = [0.001, 64, 0.00057321, 12345678, -0.5, 3e-5];
    const typed = column("h:x", readTable(sampleAnswer(6, { hparams: [hparam("x", { values })] })));
    expect(values.map((_, row) => cellText(typed, row))).toEqual([
      "1e−3",
      "64",
      "5.7e−4",
      "12,345,678",
      "−0.5",
      "3e−5",
    ]);
  });
});

describe("pickRows", () => {
  it("keeps rows in order, and the table itself when all are kept", () => {
    const some = pickRows(table, Uint8Array.of(0, 1, 0, 1, 1));
    expect(some.runs).toEqual(["trial-1", "trial-3", "trial-4"]);
    expect([...column("m:val|loss|last", some).numbers]).toEqual([2, 4, 5]);
    expect(some.rowOfRun.get("trial-3/val")).toBe(1);
    expect(column("h:batch", some).distinct).toBe(2);
    expect(pickRows(table, new Uint8Array(5).fill(1))).toBe(table);
  });
});

describe("ids of metrics", () => {
  it("are read back, with bars in names", () => {
    for (const metric of [
      { group: "", tag: "a|b\\c", stat: "last" },
      { group: "val", tag: "acc", stat: "at_step", step: 100 },
      { group: "", tag: "acc", stat: "at_best", best: "max", best_group: "x|", best_tag: "loss" },
    ] as const)
      expect(readMetricId(metricId(metric))).toEqual(metric);
    expect(readMetricId("m:|x|median")).toBeNull();
    expect(readMetricId("h:lr")).toBeNull();
  });
});
