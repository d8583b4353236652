import { describe, expect, it } from "vitest";
import { type Bins, discreteBins } from "../bins";
import { contourOf } from "./contours";
import { bestCell, heatCells } from "./heat_cells";
import { LEAST_SUPPORT, smoothSurface, type Surface } from "./surface";

const NONE = Number.NaN;
const binsOf = (...values: number[]): Bins =>
  discreteBins({ kind: "hparam", type: "number", numbers: Float64Array.from(values), levels: null }, 12) as Bins;

describe("cells", () => {
  const x = binsOf(1, 1, 2, 2, 3);
  const y = binsOf(0, 0, 0, 1, NONE);

  it("have counts and means", () => {
    const got = heatCells(x, y, Float64Array.of(2, 4, 9, NONE, 5));
    expect([got.columns, got.rows, [...got.n], [...got.mean]]).toEqual([
      3,
      2,
      [2, 1, 0, 0, 0, 0],
      [3, 9, NONE, NONE, NONE, NONE],
    ]);
    // The cell with 9 is one run.
    expect(bestCell(got, "max")).toBe(0);
  });

  it("may all be of single runs, or empty", () => {
    const single = heatCells(x, y, Float64Array.of(2, NONE, 9, NONE, 5));
    expect([bestCell(single, "max"), bestCell(single, "min")]).toEqual([1, 0]);
    expect(bestCell(heatCells(x, y, new Float64Array(5).fill(NONE)), "max")).toBe(-1);
  });

  it("are those of the included rows", () => {
    expect([...heatCells(x, y, Float64Array.of(2, 4, 9, 1, 5), Uint8Array.of(1, 0, 0, 1, 1)).n]).toEqual([
      1, 0, 0, 0, 1, 0,
    ]);
  });
});

/** A random sample of a plane, from 0 to 1 in both directions. */
function plane(count: number, height: (x: number, y: number) => number): [Float64Array, Float64Array, Float64Array] {
  let seed = 3;
  const next = (): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const x = Float64Array.from({ length: count }, next);
  const y = Float64Array.from({ length: count }, next);
  return [x, y, x.map((each, i) => height(each, y[i] as number))];
}

describe("the surface", () => {
  it("follows a plane, also one far from zero", () => {
    const { columns, rows, mean } = smoothSurface(...plane(2_000, (x, y) => 1e6 + x + 2 * y), null, 33, 25);
    const at = (x: number, y: number): number =>
      mean[Math.round(y * (rows - 1)) * columns + Math.round(x * (columns - 1))] as number;
    for (const [x, y] of [
      [0.5, 0.5],
      [0.25, 0.75],
      [0.7, 0.3],
    ] as const)
      expect(Math.abs(at(x, y) - 1e6 - x - 2 * y)).toBeLessThan(0.06);
  });

  it("says where there are no runs, and is less certain with few", () => {
    const [x, y, metric] = plane(400, (x) => x);
    const left = x.map((each) => each * 0.4);
    const { columns, support, error } = smoothSurface(left, y, metric, null, 33, 25);
    const middle = 12 * columns;
    expect(support[middle + 6]).toBeGreaterThan(4);
    expect(support[middle + 32]).toBeLessThan(LEAST_SUPPORT);
    expect(error[middle + 6]).toBeLessThan(error[middle + 15] as number);
  });

  it("leaves out rows without a place, a value or outside", () => {
    const place = Float64Array.of(0.5, 0.5, NONE, 0.5);
    const got = smoothSurface(place, place, Float64Array.of(1, NONE, 7, 9), Uint8Array.of(1, 1, 1, 0), 5, 5);
    expect(got.mean[12]).toBeCloseTo(1, 12);
    expect(got.support[12]).toBeCloseTo(1, 12);
  });

  it("of no rows is empty", () => {
    const none = new Float64Array(0);
    expect(smoothSurface(none, none, none, null, 4, 4).mean.every(Number.isNaN)).toBe(true);
  });

  it("of ten thousand runs takes a moment", () => {
    const sample = plane(10_000, (x, y) => x * y);
    const start = performance.now();
    smoothSurface(...sample, null, 96, 64);
    expect(performance.now() - start).toBeLessThan(300);
  });
});

describe("contours", () => {
  const surface = (columns: number, mean: number[], support = 1): Surface => ({
    columns,
    rows: mean.length / columns,
    mean: Float64Array.from(mean),
    support: new Float64Array(mean.length).fill(support),
    error: new Float64Array(mean.length),
  });

  it("lie where the value is reached", () => {
    expect(contourOf(surface(2, [0, 4, 0, 4]), 1)).toEqual([0.25, 0, 0.25, 1]);
    expect(contourOf(surface(2, [0, 4, 0, 4]), 5)).toEqual([]);
  });

  it("of a saddle do not cross", () => {
    // High at left below and right above; the middle is high too, so the low corners are cut off.
    expect(contourOf(surface(2, [3, 0, 0, 3]), 1)).toEqual(
      [2 / 3, 0, 1, 1 / 3, 1 / 3, 1, 0, 2 / 3].map((each) => expect.closeTo(each, 9)),
    );
    expect(contourOf(surface(2, [3, 0, 0, 3]), 2)).toEqual(
      [0, 1 / 3, 1 / 3, 0, 1, 2 / 3, 2 / 3, 1].map((each) => expect.closeTo(each, 9)),
    );
  });

  it("are not made of rounding errors on a plateau", () => {
    expect(contourOf(surface(3, [1, 1 + 1e-15, 9, 1 - 1e-15, 1, 9]), 1)).toEqual([]);
  });

  it("end where there are no runs", () => {
    expect(contourOf(surface(2, [0, 4, 0, 4], 0.01), 1)).toEqual([]);
  });
});
