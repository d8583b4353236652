import { describe, expect, it } from "vitest";
import {
  applyBrushes,
  type Brush,
  brushText,
  countFlags,
  readBrushes,
  roundLimit,
  withBrush,
  writeBrushes,
} from "./brushes";
import { type Column, readTable } from "./columns";
import { sampleAnswer } from "./sample_answer";

const table = readTable(sampleAnswer());
const brush = (column: string, change: Partial<Brush>): Brush => ({
  column,
  ranges: [],
  levels: null,
  missing: false,
  ...change,
});

describe("applyBrushes", () => {
  it("joins ranges of a column, and intersects columns", () => {
    const loss = brush("m:val|loss|last", {
      ranges: [
        [1, 2],
        [4, 5],
      ],
    });
    expect([...applyBrushes(table, [loss])]).toEqual([1, 1, 0, 1, 1]);
    expect([...applyBrushes(table, [loss, brush("h:optimizer", { levels: ["sgd"] })])]).toEqual([0, 1, 0, 0, 0]);
    expect([...applyBrushes(table, [brush("h:gone", { levels: ["x"] })])]).toEqual([1, 1, 1, 1, 1]);
  });

  it("includes missing values only if the brush does", () => {
    const accuracy = brush("m:|accuracy|last", { ranges: [[0, 1]] });
    expect([...applyBrushes(table, [accuracy])]).toEqual([1, 0, 1, 1, 0]);
    expect([...applyBrushes(table, [{ ...accuracy, ranges: [], missing: true }])]).toEqual([0, 1, 0, 0, 1]);
    expect([...applyBrushes(table, [brush("h:optimizer", { levels: ["adam"], missing: true })])]).toEqual([
      1, 0, 1, 1, 1,
    ]);
  });

  it("of one column count once, however many there are, over 10,000 rows", () => {
    const large = readTable(sampleAnswer(10_000));
    const many = Array.from({ length: 10 }, () => brush("h:lr", { ranges: [[1e-4, 1e-1], [0.5, 0.9]] })); // prettier-ignore
    expect(countFlags(applyBrushes(large, many))).toBe(6510);
  });
});

describe("withBrush", () => {
  it("replaces the brush of its column, joins ranges that overlap, and removes an empty one", () => {
    const first = withBrush([], brush("h:lr", { ranges: [[3, 5], [1, 4]] })); // prettier-ignore
    expect(first[0]?.ranges).toEqual([[1, 5]]);
    expect(withBrush(first, brush("h:lr", { missing: true }))).toEqual([brush("h:lr", { missing: true })]);
    expect(withBrush(first, brush("h:lr", {}))).toEqual([]);
  });
});

describe("text", () => {
  it("of the address is read back, whatever names contain", () => {
    const brushes = [
      brush("h:a;b~c", { ranges: [[-1e-5, 2], [3, 4.5]], missing: true }), // prettier-ignore
      brush("h:opt", { levels: ["=x;", "a\\b"] }),
    ];
    expect(readBrushes(writeBrushes(brushes))).toEqual(brushes);
    expect(readBrushes("h:lr;x~y")).toEqual([]);
    expect(readBrushes("")).toEqual([]);
  });

  it("of a chip is short", () => {
    const [lr, optimizer] = [table.byId.get("h:lr") as Column, table.byId.get("h:optimizer") as Column];
    expect(brushText(lr, brush("", { ranges: [[8e-5, 0.0063]] }))).toBe("8e−5 – 6.3e−3");
    expect(brushText(lr, brush("", { ranges: [[0, 1], [2, 3]], missing: true }))).toBe("2 ranges, missing"); // prettier-ignore
    expect(brushText(optimizer, brush("", { levels: ["adam", "sgd"] }))).toBe("adam, sgd");
  });

  it("of a limit has as few digits as its place needs", () => {
    expect(roundLimit(0.0063148, 1)).toBe(0.0063);
    expect(roundLimit(0.93471, 0.1)).toBe(0.9347);
    expect(roundLimit(-1234.56, 10_000)).toBe(-1230);
  });
});
