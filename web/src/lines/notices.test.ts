import { describe, expect, it } from "vitest";
import { toSeries } from "../chart/model";
import type { CardLine } from "./card_model";
import { findNonFinite, findRestarts } from "./notices";

const line = (run: string, y: number[], role: CardLine["role"] = "smoothed"): CardLine => ({
  run,
  tag: "loss",
  role,
  generation: 1,
  total: y.length,
  series: toSeries(new Float64Array(y.map((_, i) => i * 100)), new Float64Array(y)),
});

describe("findNonFinite", () => {
  it("ignores finite numbers", () => {
    expect(findNonFinite([line("a", [1, 2, 3]), line("b", [])], "step")).toBeNull();
  });

  it("names the earliest, and each run in the detail, in order", () => {
    const lines = [line("a", [1, 2, Number.NaN, Number.NaN]), line("b", [1, Number.POSITIVE_INFINITY, 2])];
    expect(findNonFinite(lines, "step")).toEqual({
      text: "∞ @ 100",
      detail: "b: ∞ from step 100\na: NaN from step 200",
    });
  });

  it("counts the runs that it does not name", () => {
    const lines = Array.from({ length: 6 }, (_, i) => line(`${i}`, [Number.NaN]));
    const detail = findNonFinite(lines, "step")?.detail.split("\n");
    expect(detail?.slice(4)).toEqual(["4: NaN from step 0", "and 1 more run"]);
  });

  it("does not say that a group is NaN where its runs may be infinite", () => {
    const notice = findNonFinite([line("g", [1, Number.NaN], "center")], "step");
    expect(notice).toEqual({ text: "no value @ 100", detail: "g: no value from step 100" });
  });

  it("counts a run once, by its raw line", () => {
    const lines = [line("a", [1, Number.NaN], "raw"), line("a", [1, 1])];
    expect(findNonFinite(lines, "step")?.detail).toBe("a: NaN from step 100");
  });
});

describe("findRestarts", () => {
  it("adds up the shown runs and names them", () => {
    const restarts = new Map([
      ["a", 2],
      ["b", 1],
      ["hidden", 9],
    ]);
    expect(findRestarts(["a", "b", "c"], restarts)).toEqual({ text: "3 restarts", detail: "a: 2\nb: 1" });
    expect(findRestarts(["\u202eb"], new Map([["\u202eb", 1]]))?.detail).toBe("⟨202E⟩b: 1");
    expect(findRestarts(["b"], restarts)?.text).toBe("1 restart");
    expect(findRestarts(["c"], restarts)).toBeNull();
  });
});
