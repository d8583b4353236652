import { describe, expect, it } from "vitest";
import { cellFormat, describeAt, exactCell, formatCell, formatRatio, toCsv, toMarkdown, toTsv } from "./table_format";

describe("cells", () => {
  it("are short on the page and exact elsewhere", () => {
    expect(formatCell(0.1 + 0.2, "value")).toBe("0.3000");
    expect(exactCell(0.1 + 0.2)).toBe("0.30000000000000004");
    expect(exactCell(Number.NaN)).toBe("NaN");
    expect(exactCell(null)).toBe("");
    expect(formatCell(null, "ratio")).toBe("");
    expect(formatCell(-0.0311, "signed")).toBe("−0.0311");
    expect(formatCell(0.25, "signed")).toBe("+0.2500");
  });

  it("of one column have the same decimals", () => {
    const write = (kind: "value" | "signed" | "step", cells: (number | null)[]): string[] =>
      cells.map(cellFormat(cells, kind)).map((text) => text.trim());
    expect(write("value", [0.5, null, 12.25])).toEqual(["0.5000", "", "12.2500"]);
    expect(write("signed", [0.5, -2, 0])).toEqual(["+0.5000", "−2", "0"]);
    expect(write("step", [8412])).toEqual(["8,412"]);
  });

  it("write percents with enough digits for small changes", () => {
    expect([0.00123, 0.4567, -12.5, 0, Number.POSITIVE_INFINITY].map(formatRatio)).toEqual([
      "+0.12 %",
      "+45.7 %",
      "−1250 %",
      "0.00 %",
      "+∞",
    ]);
  });

  it("describe a position on any axis", () => {
    expect(describeAt(8412, "step")).toBe("step 8,412");
    expect(describeAt(8411.6, "step")).toBe("step 8,412");
    expect(describeAt(1.5, "epoch")).toBe("epoch 1.5000");
    expect(describeAt(72, "relative")).toBe("relative 1 m 12 s");
  });
});

describe("a table as text", () => {
  const table = {
    head: ["Run", "Value"],
    rows: [
      ["a\tb|c", "1"],
      ['say "hi", you', ""],
    ],
  };

  it("handles odd names", () => {
    expect(toTsv(table)).toBe('Run\tValue\na b|c\t1\nsay "hi", you\t\n');
    expect(toCsv(table)).toBe('Run,Value\na\tb|c,1\n"say ""hi"", you",\n');
    expect(toMarkdown(table)).toBe('| Run | Value |\n| --- | ---: |\n| a b\\|c | 1 |\n| say "hi", you |  |\n');
  });
});
