import { describe, expect, it } from "vitest";
import type { TableAnswer } from "../answer";
import { type Column, readTable } from "../columns";
import { hparam } from "../sample_answer";
import { compareRows, differenceTo } from "./comparison";

const ANSWER: TableAnswer = {
  generation: 1,
  runs: ["a", "b", "c"],
  members: [["a"], ["b"], ["c"]],
  group: { levels: [""], codes: [0, 0, 0] },
  status: { levels: ["finished"], codes: [0, 0, 0] },
  host: { levels: ["n1", "n2"], codes: [0, 1, 1] },
  started: [10, 10, 10],
  ended: [null, null, null],
  hparams: [
    { name: "lr", values: [0.1, 0.2, 0.1] },
    { name: "batch", values: [32, 32, 64] },
    { name: "depth", values: [4, 4, 4] },
    { name: "decay", values: [null, 0.1, 0.1] },
  ].map(({ name, values }) => hparam(name, { values })),
  metrics: [
    { tag: "loss", goal: "min", values: [2, 1, "NaN"] },
    { tag: "accuracy", goal: "max", values: [0, 0.5, 0.5] },
    { tag: "never", goal: "max", values: [null, null, 3] },
  ].map((each) => ({
    ...each,
    goal: each.goal as "min" | "max",
    group: "",
    stat: "last",
    display_name: "",
    description: "",
    declared: true,
    problem: null,
  })),
  offered: [],
  experiments: [],
  problems: [],
};
const table = readTable(ANSWER);
const column = (id: string): Column => table.byId.get(id) as Column;
const names = (columns: readonly Column[]): string[] => columns.map(({ name }) => name);

describe("rows side by side", () => {
  it("show what differs between them, and fold the rest", () => {
    const got = compareRows(table, [0, 1]);
    expect(names(got.differing)).toEqual(["lr", "decay", "host"]);
    expect(names(got.same)).toEqual(["batch"]);
    expect(names(got.constant)).toEqual(["depth"]);
    expect(names(got.metrics)).toEqual(["loss", "accuracy"]);
  });

  it("show a metric that is NaN, but none that was not logged", () => {
    expect(names(compareRows(table, [2, 2]).metrics)).toEqual(["loss", "accuracy", "never"]);
    expect(names(compareRows(table, [0]).differing)).toEqual([]);
  });
});

describe("differences to the baseline", () => {
  const loss = column("m:|loss|last");
  it("are better or worse by the goal", () => {
    expect(differenceTo(loss, 1, 0)).toEqual({ by: -1, share: -0.5, verdict: "better" });
    expect(differenceTo({ ...loss, goal: "max" }, 1, 0).verdict).toBe("worse");
    expect(differenceTo(loss, 0, 0).verdict).toBe("same");
  });

  it("are unknown without a value, and have no share of zero", () => {
    expect(differenceTo(loss, 2, 0)).toEqual({ by: Number.NaN, share: Number.NaN, verdict: "unknown" });
    expect(differenceTo(column("m:|accuracy|last"), 1, 0)).toEqual({ by: 0.5, share: Number.NaN, verdict: "better" });
  });
});
