import { describe, expect, it } from "vitest";
import { readTable } from "../columns";
import { hparam, metric, sampleAnswer } from "../sample_answer";
import { AGGREGATES } from "../options";
import { aggregate, groupRows, summarize } from "./group_rows";
import { naturalRanks, nextKeys, sortRows } from "./sort_rows";

const table = readTable(sampleAnswer());
const all = [0, 1, 2, 3, 4];
const ranks = (): Float64Array => naturalRanks(table.runs);
const up = (column: string) => ({ column, isDescending: false });
const down = (column: string) => ({ column, isDescending: true });

describe("sortRows", () => {
  it("sorts by several keys, with missing values last in both directions", () => {
    expect(sortRows(table, all, [up("m:|accuracy|last")], ranks)).toEqual([0, 3, 2, 1, 4]);
    expect(sortRows(table, all, [down("m:|accuracy|last")], ranks)).toEqual([2, 3, 0, 1, 4]);
    expect(sortRows(table, all, [up("h:batch"), down("h:lr")], ranks)).toEqual([3, 1, 4, 2, 0]);
    expect(sortRows(table, all, [down("h:optimizer"), up("name")], ranks)).toEqual([1, 0, 2, 4, 3]);
    expect(sortRows(table, all, [down("name")], ranks)).toEqual([4, 3, 2, 1, 0]);
    expect(sortRows(table, all, [up("h:gone")], ranks)).toEqual(all);
  });

  it("sorts thousands of equal rows by name as it sorts a few", () => {
    const many = readTable(sampleAnswer(2_000));
    const rows = [...many.runs.keys()].reverse();
    const byName = sortRows(many, rows, [up("h:epochs")], () => naturalRanks(many.runs));
    expect(byName).toEqual(rows.toReversed());
  });

  it("cycles through the orders of a head", () => {
    const first = nextKeys([], "m", true, false);
    expect(first).toEqual([down("m")]);
    const second = nextKeys(first, "m", true, false);
    expect(second).toEqual([up("m")]);
    expect(nextKeys(second, "m", true, false)).toEqual([]);
    expect(nextKeys(first, "h", false, true)).toEqual([down("m"), up("h")]);
    expect(nextKeys([down("m"), up("h")], "m", true, true)).toEqual([up("m"), up("h")]);
  });
});

describe("groupRows", () => {
  it("groups by declared group and by a column", () => {
    expect(groupRows(table, all, "declared").map(({ label, rows }) => [label, rows])).toEqual([
      ["a", [0, 1]],
      ["no group", [2, 3, 4]],
    ]);
    expect(groupRows(table, [4, 2, 1], "h:optimizer").map(({ label, rows }) => [label, rows])).toEqual([
      ["optimizer adam", [4, 2]],
      ["optimizer sgd", [1]],
    ]);
  });

  it("groups equal settings, leaving out the seed", () => {
    const sweep = readTable(
      sampleAnswer(4, {
        hparams: [
          hparam("lr", { values: [0.1, 0.1, 0.2, 0.2] }),
          hparam("model.seed", { values: [1, 2, 1, 2] }),
          hparam("epochs", { values: [9, 9, 9, 9] }),
        ],
      }),
    );
    expect(groupRows(sweep, [0, 1, 2, 3], "config").map(({ label, rows }) => [label, rows])).toEqual([
      ["lr 0.1", [0, 1]],
      ["lr 0.2", [2, 3]],
    ]);
  });

  it("puts every row in exactly one group, whatever the column", () => {
    for (const { id } of table.columns) {
      const groups = groupRows(table, all, id);
      expect(groups.flatMap(({ rows }) => rows).sort()).toEqual(all);
      const column = table.byId.get(id);
      for (const { rows } of groups) if (column) expect(summarize(column, rows, "mean").common).toBe(rows[0] ?? null);
    }
  });
});

describe("aggregate", () => {
  it("keeps mean and median between min and max, and ignores the order", () => {
    for (let seed = 1; seed < 40; seed++) {
      const values = Array.from({ length: (seed % 7) + 1 }, (_, i) => Math.sin(seed * 99 + i * 7) * 100);
      const [mean, median, min, max, error] = AGGREGATES.map((how) => aggregate(values, how)) as [
        number,
        number,
        number,
        number,
        number,
      ];
      for (const middle of [mean, median]) {
        expect(middle).toBeGreaterThanOrEqual(min - 1e-9);
        expect(middle).toBeLessThanOrEqual(max + 1e-9);
      }
      if (values.length > 1) expect(error).toBeLessThanOrEqual((max - min) / Math.sqrt(values.length) + 1e-9);
      expect(aggregate([...values].reverse(), "median")).toBe(median);
    }
    expect(aggregate([1, 2, 3], "stderr")).toBeCloseTo(1 / Math.sqrt(3));
    expect(aggregate([], "mean")).toBeNaN();
    expect(aggregate([1], "stderr")).toBeNaN();
  });

  it("leaves out what is not a number, and says how many there are", () => {
    const values = [1, "NaN", null, 3];
    const column = readTable(sampleAnswer(4, { metrics: [metric("x", { values })] })).byId.get("m:|x|last");
    expect(column && summarize(column, [0, 1, 2, 3], "mean")).toEqual({ value: 2, count: 2, common: null });
  });
});
