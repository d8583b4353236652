import { describe, expect, it } from "vitest";
import type { RunColumn } from "../state/view/view";
import { cellText, cellWriter, columnName } from "./cell_text";

const metric: RunColumn = { kind: "metric", tag: "val/acc", stat: "max" };
const hparam: RunColumn = { kind: "hparam", name: "lr" };

describe("column heads", () => {
  it("name the statistic of a metric", () => {
    expect(columnName(metric)).toBe("val/acc, max");
    expect(columnName({ kind: "metric", tag: "a", stat: "at_step", step: 1000 })).toBe("a, at step 1,000");
    expect(columnName({ kind: "metric", tag: "a", stat: "at_best", best: "min", bestTag: "b" })).toBe("a, at min of b");
    expect([columnName(hparam), columnName({ kind: "info", name: "points" })]).toEqual(["lr", "Points"]);
  });
});

describe("cells", () => {
  it("aligns the numbers of a metric", () => {
    const written = (cells: (number | string | null)[]): string[] =>
      cells.map(cellWriter({ kind: "metric", tag: "acc", stat: "last" }, cells)).map((text) => text.trim());
    expect(written([0.94123456, 1, null, Number.NaN])).toEqual(["0.9412", "1", "", "NaN"]);
    expect(written([12, 1_234_567])).toEqual(["12", "1,234,567"]);
    const hparam = { kind: "hparam", name: "lr" } as const;
    expect([0.1, 3e-5].map(cellWriter(hparam, [0.1, 3e-5]))).toEqual(["0.1", "0.00003"]);
  });

  it("are as short as possible", () => {
    expect([0.94123456, 12, -3, 1_234_567, Number.NaN, Infinity].map((value) => cellText(metric, value))).toEqual([
      "0.9412",
      "12",
      "−3",
      "1,234,567",
      "NaN",
      "∞",
    ]);
  });

  it("show short hyperparameters as typed", () => {
    expect([3e-5, 0.1, 1 / 3, true, "adam"].map((value) => cellText(hparam, value))).toEqual([
      "0.00003",
      "0.1",
      "0.3333",
      "true",
      "adam",
    ]);
  });

  it("show times and durations, and nothing for missing values", () => {
    expect(cellText({ kind: "info", name: "assets" }, 1_234)).toBe(cellText({ kind: "info", name: "points" }, 1_234));
    expect(cellText({ kind: "info", name: "duration" }, 3_700)).toBe("1 h 1 m");
    expect(cellText({ kind: "info", name: "started" }, 1e9)).toContain("2001");
    expect(cellText(metric, null)).toBe("");
  });
});
