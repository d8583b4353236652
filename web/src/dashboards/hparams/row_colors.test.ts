import { describe, expect, it } from "vitest";
import { type Column, readTable } from "./columns";
import { colorRows } from "./row_colors";
import { sampleAnswer } from "./sample_answer";

const table = readTable(sampleAnswer());
const column = (id: string): Column => table.byId.get(id) as Column;

describe("colorRows", () => {
  it("gives the best of a metric the bright end, whether small or large is good", () => {
    const bright = "#c9a326";
    expect(colorRows(table, column("m:val|loss|last")).css(0, "light")).toBe(bright);
    expect(colorRows(table, column("h:lr")).css(4, "light")).toBe(bright);
    expect(colorRows(table, column("m:val|loss|last")).legend).toMatchObject({ from: "5", to: "1", hasGrey: false });
  });

  it("orders by rank, and shows what has no number in grey", () => {
    const { codes, legend, palette } = colorRows(table, column("m:|accuracy|last"));
    expect([codes[1], codes[4]]).toEqual([palette.length - 1, palette.length - 1]);
    expect(codes[2]).toBeGreaterThan(codes[0] as number);
    expect(legend).toMatchObject({ kind: "ramp", hasGrey: true });
  });

  it("names the levels of a category", () => {
    const { codes, legend } = colorRows(table, column("h:optimizer"));
    expect([...codes]).toEqual([0, 1, 0, 2, 0]);
    expect(legend).toMatchObject({ entries: [{ text: "adam" }, { text: "sgd" }] });
  });

  it("has one colour without a column", () => {
    const colors = colorRows(table, null);
    expect(new Set(colors.codes).size).toBe(1);
    expect(colors.legend.kind).toBe("none");
  });
});
