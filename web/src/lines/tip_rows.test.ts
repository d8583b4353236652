import { describe, expect, it } from "vitest";
import type { NearestRow } from "../api/types";
import { toSeries } from "../chart/model";
import type { NearPoint } from "../chart/nearest";
import type { CardLine } from "./card_model";
import { listTipColumns, makeTipRows, namesX, type TipFacts } from "./tip_rows";

const line = (run: string, role: CardLine["role"] = "smoothed"): CardLine => ({
  run,
  tag: "loss",
  role,
  generation: 1,
  total: 2,
  series: toSeries(new Float64Array([0, 10]), new Float64Array([1, 2])),
});
const point = (index: number, y: number): NearPoint => ({ line: index, point: 1, x: 10, y, xPx: 0, yPx: 0 });
const exact = (run: string, value: number, smoothed: number): NearestRow => ({
  kind: "at",
  run,
  tag: "loss",
  x: 11,
  step: 11,
  wall_time: 1_700_000_000,
  relative: 61,
  value,
  smoothed,
  is_exact: false,
});
const facts = (change: Partial<TipFacts> = {}): TipFacts => ({
  shape: { x: "step", isSmoothed: true, center: null, hasTags: false, hasBaseline: true },
  lines: [line("a"), line("base")],
  bands: null,
  baseline: "base",
  find: () => undefined,
  isCurrent: false,
  ...change,
});
const found = new Map([
  ["a", exact("a", 0.25, 0.5)],
  ["base", exact("base", 1, 0.75)],
]);

describe("makeTipRows", () => {
  it("uses the drawn line's values at first", () => {
    const [row] = makeTipRows([point(0, 2)], facts());
    expect(row?.cells).toMatchObject({ smoothed: "2", value: "", step: "10", baseline: "" });
    const [plain] = makeTipRows([point(0, 2)], facts({ shape: { ...facts().shape, isSmoothed: false } }));
    expect(plain?.cells.value).toBe("2");
  });

  it("uses exact values when they are known, and the difference to the baseline", () => {
    const [row, base] = makeTipRows(
      [point(0, 2), point(1, 3)],
      facts({ find: (run) => found.get(run), isCurrent: true }),
    );
    expect(row?.cells).toMatchObject({
      smoothed: "0.5000",
      value: "0.2500",
      step: "11",
      relative: "1 m 1 s",
      baseline: "−0.2500",
    });
    expect(row?.tone).toBe("good");
    expect(base).toMatchObject({ isBaseline: true, cells: { baseline: "" } });
  });

  it("writes the values of a column with the same decimals", () => {
    const rows = makeTipRows([point(0, 0.08), point(1, 0.1301)], facts());
    expect(rows.map(({ cells }) => cells.smoothed)).toEqual(["0.0800", "0.1301"]);
  });

  it("uses the drawn line again as soon as the pointer moves", () => {
    const [row] = makeTipRows([point(0, 2)], facts({ find: (run) => found.get(run), isCurrent: false }));
    expect(row?.cells).toMatchObject({ smoothed: "2", step: "10", value: "0.2500" });
  });

  it("shows the range of a group and its number of runs", () => {
    const bands = [
      { low: new Float64Array([0, 1.5]), high: new Float64Array([0, 2.5]), count: new Float64Array([3, 2]) },
    ];
    const shape = { ...facts().shape, center: "median" as const };
    const [row] = makeTipRows(
      [point(0, 2)],
      facts({ lines: [line("lr=1", "center")], bands, shape, find: (run) => found.get(run), isCurrent: true }),
    );
    expect(row?.cells).toMatchObject({ value: "2", spread: "1.5000 – 2.5000", n: "2", baseline: "+1.2500" });
    expect(listTipColumns(shape).map((column) => column.label)).toEqual(["median", "low – high", "n", "Δ baseline"]);
  });

  it("has the bounds of a margin in columns, as logged once they are known", () => {
    const shape = { ...facts().shape, isSmoothed: false, hasBaseline: false, hasMargins: true };
    const bound = (tag: string, y: number) => ({
      tag,
      series: toSeries(new Float64Array([0, 10]), new Float64Array([y, y + 1])),
    });
    const margins = [{ lower: bound("low", 1), upper: null }];
    const [drawn] = makeTipRows([point(0, 2)], facts({ shape, margins }));
    expect(drawn?.cells).toMatchObject({ value: "2", lower: "2", upper: "–" });
    const [logged] = makeTipRows(
      [point(0, 2)],
      facts({
        shape,
        margins,
        isCurrent: true,
        find: (run, tag) => (tag === "low" ? exact(run, 1.5, 1.5) : undefined),
      }),
    );
    expect(logged?.cells.lower).toBe("1.5000");
    expect(
      listTipColumns(shape)
        .map((column) => column.label)
        .slice(0, 3),
    ).toEqual(["value", "lower", "upper"]);
  });

  it("knows whether a row repeats the x of the heading", () => {
    const [row] = makeTipRows([point(0, 2)], facts({ find: (run) => found.get(run), isCurrent: true }));
    expect([namesX(row!, 11, "step"), namesX(row!, 12, "step"), namesX(row!, 61, "relative")]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
