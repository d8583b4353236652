import { describe, expect, it } from "vitest";
import type { NearestRow, RangeRow } from "../../../api/types";
import { centerOf, deviation, makeGroupRows, makeRows, type RowsWanted, sortRows } from "./table_rows";

const at = (run: string, value: NearestRow["value"], smoothed: NearestRow["smoothed"]): NearestRow => ({
  kind: "at",
  run,
  tag: "loss",
  x: 10,
  step: 10,
  wall_time: 1_700_000_000.25,
  relative: 3.5,
  value,
  smoothed,
  is_exact: true,
});
const over = (run: string, end: number, smoothedEnd: number): RangeRow => {
  const statistics = (last: number) => ({
    start: 1,
    end: last,
    delta: last - 1,
    delta_ratio: last - 1,
    min: last,
    min_step: 9,
    max: 1,
    max_step: 0,
    mean: 0.5,
  });
  return {
    kind: "range",
    run,
    tag: "loss",
    count: 10,
    start_step: 0,
    end_step: 9,
    ...statistics(end),
    smoothed: statistics(smoothedEnd),
  };
};
const wanted = (change: Partial<RowsWanted> = {}): RowsWanted => ({
  basis: "smoothed",
  baseline: null,
  isShown: () => true,
  title: (run) => run.toUpperCase(),
  ...change,
});

describe("makeRows", () => {
  it("takes numbers as JSON carries them", () => {
    const [row] = makeRows([at("a", "NaN", "-Infinity")], wanted());
    expect(row?.cells).toMatchObject({
      name: "A",
      value: Number.NaN,
      smoothed: Number.NEGATIVE_INFINITY,
      step: 10,
      wall_time: 1_700_000_000.25,
    });
  });

  it("compares with the baseline, shown or not, by one basis", () => {
    const answer = [at("base", 2, 3), at("a", 1, 5)];
    const isShown = (run: string): boolean => run === "a";
    expect(makeRows(answer, wanted({ baseline: "base", isShown })).map((row) => row.cells["baseline"])).toEqual([2]);
    expect(
      makeRows(answer, wanted({ baseline: "base", isShown, basis: "raw" })).map((row) => row.cells["baseline"]),
    ).toEqual([-1]);
    const [base] = makeRows(answer, wanted({ baseline: "base" }));
    expect(base).toMatchObject({ isBaseline: true, cells: { baseline: null } });
  });

  it("has every statistic of a range from one basis", () => {
    const answer = [over("base", 0.25, 0.5), over("a", 0.125, 0.75)];
    const [, raw] = makeRows(answer, wanted({ basis: "raw", baseline: "base" }));
    expect(raw?.cells).toMatchObject({
      end: 0.125,
      min: 0.125,
      delta: -0.875,
      delta_ratio: -0.875,
      baseline: -0.125,
      count: 10,
    });
    const [, smoothed] = makeRows(answer, wanted({ baseline: "base" }));
    expect(smoothed?.cells).toMatchObject({ end: 0.75, min: 0.75, delta: -0.25, baseline: 0.25 });
  });
});

describe("makeGroupRows", () => {
  it("has one row a group, of the runs that have points", () => {
    const empty: RangeRow = { ...over("c", 1, 1), count: 0, end: null, smoothed: null };
    const groups = [
      { label: "lr=1", runs: ["a", "b", "c"] },
      { label: "lr=2", runs: ["c"] },
    ];
    const rows = makeGroupRows(
      [over("a", 1, 2), over("b", 3, 6), empty],
      groups,
      "mean",
      wanted({ basis: "raw", baseline: "a" }),
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.cells).toMatchObject({
      name: "lr=1",
      n: 2,
      end: 2,
      count: 20,
      start_step: 0,
      end_step: 9,
      std: Math.SQRT2,
      baseline: 1,
    });
  });
});

describe("centerOf and deviation", () => {
  it("are over finite values", () => {
    expect(centerOf([1, 2, Number.NaN, 6], "mean")).toBe(3);
    expect(centerOf([1, 10, 2, 4], "median")).toBe(3);
    expect(centerOf([Number.NaN], "mean")).toBeNaN();
    expect(centerOf([], "mean")).toBeNull();
    expect(deviation([5])).toBe(0);
    expect(deviation([1, 3])).toBe(Math.SQRT2);
  });
});

describe("sortRows", () => {
  const rows = makeRows(
    [at("run10", 1, 1), at("run2", Number.NaN, 1), at("run1", "Infinity", 1), at("run3", 0, 1)],
    wanted({ title: (run) => run }),
  );
  const names = (column: string, isDescending: boolean): string[] =>
    sortRows(rows, { column, isDescending }).map((row) => row.name);

  it("keeps what has no number last in both directions", () => {
    expect(names("value", false)).toEqual(["run3", "run10", "run1", "run2"]);
    expect(names("value", true)).toEqual(["run1", "run10", "run3", "run2"]);
  });

  it("sorts names by their numbers, and ties by name", () => {
    expect(names("name", false)).toEqual(["run1", "run2", "run3", "run10"]);
    expect(names("smoothed", true)).toEqual(["run1", "run2", "run3", "run10"]);
  });
});
