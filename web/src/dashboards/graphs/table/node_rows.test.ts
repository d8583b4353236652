import { expect, test } from "vitest";
import { filterRows, readTable, sortRows, sumOf, writeCsv, writeJson } from "./node_rows";

const table = readTable({
  count: 4,
  columns: [
    { name: "id", values: ["a", "b", "c", "d"] },
    { name: "name", values: ["enc/scores", "enc/softmax", 'dec/"out"', "dec/softmax"] },
    { name: "op", levels: ["MatMul", "Softmax"], codes: [0, 1, -1, 1] },
    { name: "parameters", values: [10, 0, null, 30] },
    { name: "time", values: [null, null, null, null] },
  ],
});
const names = (query: string): string[] => filterRows(table, query).rows.map((row) => table.id(row));

test("columns without values are left out", () => {
  expect(table.columns.map(({ name }) => name)).toEqual(["name", "op", "parameters"]);
});

test("the query language of the run table filters nodes, and a word looks at names", () => {
  expect(names("")).toEqual(["a", "b", "c", "d"]);
  expect(names("SOFT")).toEqual(["b", "d"]);
  expect(names("op == Softmax and parameters > 5")).toEqual(["d"]);
  expect(names('name ~ "^dec" or parameters >= 10')).toEqual(["a", "c", "d"]);
  expect(names("op is missing")).toEqual(["c"]);
  expect(filterRows(table, "opp == x and").error).toContain("At character 1");
  expect(filterRows(table, "op ==").rows).toHaveLength(4);
});

test("rows without a value are last in either direction", () => {
  const sorted = (isDescending: boolean): string[] =>
    sortRows(table, [0, 1, 2, 3], { column: "parameters", isDescending }).map(table.id);
  expect(sorted(true)).toEqual(["d", "a", "b", "c"]);
  expect(sorted(false)).toEqual(["b", "a", "d", "c"]);
  expect(sumOf(table.columns[2]!, [0, 2, 3])).toBe(40);
});

test("files hold the rows in their order", () => {
  expect(writeCsv(table, [2, 0])).toBe('name,op,parameters\r\n"dec/""out""",,\r\nenc/scores,MatMul,10\r\n');
  expect(JSON.parse(writeJson(table, [2]))).toEqual([{ name: 'dec/"out"' }]);
});
