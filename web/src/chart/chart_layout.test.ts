import { describe, expect, it } from "vitest";
import { type Charted, layOutChart } from "./chart_layout";
import { type AxisSide, type Stroke, toSeries, WHOLE_VIEW } from "./model";

const stroke = (axis: AxisSide): Stroke => ({ color: "red", widthPx: 1, alpha: 1, dash: [], axis });
const line = (...y: number[]) =>
  toSeries(
    Float64Array.from(y, (_, i) => i),
    Float64Array.from(y),
  );
const calm = line(...Array.from({ length: 100 }, (_, i) => 1 + (i % 10) / 10));
const spiked = line(...Array.from({ length: 100 }, (_, i) => (i === 50 ? 5_000 : i === 60 ? -700 : 2 + (i % 10) / 10)));

const chart = (over: Partial<Charted> = {}): Charted => ({
  widthPx: 400,
  heightPx: 300,
  series: [calm, spiked],
  strokes: [stroke("left"), stroke("right")],
  areas: [],
  firstFound: 0,
  xKind: "step",
  xScale: "linear",
  yScale: "linear",
  y2Scale: "linear",
  cutsOutliers: true,
  view: WHOLE_VIEW,
  ...over,
});

describe("what an axis leaves out", () => {
  it("is known for both axes", () => {
    const { left, right } = layOutChart(chart());
    expect(left).toMatchObject({ above: null, below: null });
    expect(right).toEqual({ full: [-700, 5_000], above: 5_000, below: -700 });
    const swapped = layOutChart(chart({ strokes: [stroke("right"), stroke("left")] }));
    expect(swapped.left).toEqual(right);
    expect(swapped.right).toMatchObject({ above: null, below: null });
  });

  it("is nothing where limits are set, and there is no second axis without a line on it", () => {
    expect(layOutChart(chart({ view: { ...WHOLE_VIEW, y2: [0, 3] } })).right).toMatchObject({
      above: null,
      below: null,
    });
    expect(layOutChart(chart({ strokes: [stroke("left"), stroke("left")] })).right).toBeNull();
  });

  it("counts lines that reach below a log axis only on their own axis", () => {
    expect(layOutChart(chart({ y2Scale: "log" })).unshown).toBe(1);
    expect(layOutChart(chart({ yScale: "log" })).unshown).toBe(0);
  });
});
