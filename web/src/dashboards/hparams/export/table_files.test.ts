import { describe, expect, it } from "vitest";
import { writeParquet } from "./parquet";
import { type FileColumn, significant, writeCsv, writeJson, writeLatex, writeMarkdown } from "./table_files";

const columns: readonly FileColumn[] = [
  { name: "run", cells: ['a,"b"', "c_1|<b>"], isNumeric: false },
  { name: "lr", cells: [0.000571234, null], isNumeric: true },
  { name: "acc_%", cells: [Number.NaN, -0.952212345], isNumeric: true },
];

describe("table files", () => {
  it("write all digits and quote as needed in CSV", () => {
    expect(writeCsv(columns)).toBe('run,lr,acc_%\r\n"a,""b""",0.000571234,nan\r\nc_1|<b>,,-0.952212345\r\n');
  });

  it("write objects in JSON", () => {
    expect(JSON.parse(writeJson(columns))).toEqual([
      { run: 'a,"b"', lr: 0.000571234, "acc_%": "NaN" },
      { run: "c_1|<b>", lr: null, "acc_%": -0.952212345 },
    ]);
  });

  it("escape and round in LaTeX and Markdown", () => {
    const latex = writeLatex(columns);
    expect(latex).toContain("\\begin{tabular}{lrr}");
    expect(latex).toContain("run & lr & acc\\_\\% \\\\");
    expect(latex).toContain('a,"b" & $5.712 \\times 10^{-4}$ & NaN \\\\');
    expect(latex).toContain("c\\_1|<b> & -- & $-0.9522$ \\\\");
    expect(writeMarkdown(columns).split("\n")).toEqual([
      "| run | lr | acc\\_% |",
      "| --- | ---: | ---: |",
      '| a,"b" | 5.712e-4 | nan |',
      "| c\\_1\\|\\<b\\> |  | -0.9522 |",
      "",
    ]);
  });

  it("keep significant digits only", () => {
    expect([128, 0.04, 12345.678, 1e-5, 0, 3e9].map(significant)).toEqual(["128", "0.04", "12350", "1e-5", "0", "3e9"]);
  });
});

describe("writeParquet", () => {
  it("begins and ends as the format says, and its footer is where the last bytes say", () => {
    const file = writeParquet(columns);
    const text = (from: number, to: number): string => new TextDecoder().decode(file.slice(from, to));
    expect([text(0, 4), text(file.length - 4, file.length)]).toEqual(["PAR1", "PAR1"]);
    const footer = new DataView(file.buffer).getUint32(file.length - 8, true);
    const start = file.length - 8 - footer;
    expect(start).toBeGreaterThan(4);
    expect(text(start, file.length - 8)).toContain("acc_%");
    // Each number is stored as it is.
    expect([...file].join()).toContain([...new Uint8Array(Float64Array.of(0.000571234).buffer)].join());
  });
});
