import { describe, expect, it } from "vitest";
import {
  bucketAt,
  type ChartedHistograms,
  findHistogram,
  type HistogramLayout,
  layOutHistograms,
  outliner,
  type Profile,
  shareAt,
} from "./histogram_model";

const profile = (place: number, counts: readonly number[], edges = counts.map((_, i) => i)): Profile => ({
  left: Float64Array.from(edges),
  right: Float64Array.from([...edges.slice(1), (edges.at(-1) as number) + 1]),
  count: Float64Array.from(counts),
  place,
  color: "#2663f1",
});

const chart = (over: Partial<ChartedHistograms> = {}): ChartedHistograms => ({
  mode: "offset",
  widthPx: 400,
  heightPx: 300,
  isStepped: false,
  domain: [0, 4],
  valueScale: "linear",
  countScale: "linear",
  timeKind: "step",
  profiles: [profile(0, [0, 8, 2, 0]), profile(10, [0, 4, 4, 0]), profile(40, [1, 2, 8, 1])],
  ...over,
});

describe("laid out histograms", () => {
  it("are stacked by time, the newest lowest", () => {
    const { baselines, axes, ridgePx } = layOutHistograms(chart());
    expect(baselines[2]).toBe(axes.plot.bottom);
    expect(baselines[0]).toBeCloseTo(axes.plot.top + ridgePx);
    const [first, second, third] = baselines as [number, number, number];
    expect((second - first) / (third - first)).toBeCloseTo(0.25);
  });

  it("share one baseline in an overlay, with counts on its axis", () => {
    const { baselines, yMarks, axes } = layOutHistograms(chart({ mode: "overlay" }));
    expect(new Set(baselines)).toEqual(new Set([axes.plot.bottom]));
    expect(yMarks.map(({ label }) => label)).toContain("4");
    expect(axes.y.toPx(8)).toBeLessThan(axes.y.toPx(4));
  });

  it("fill the width as slots of a heat map without gaps", () => {
    const { slots, axes } = layOutHistograms(chart({ mode: "heat" }));
    expect(slots[0]?.[0]).toBeCloseTo(axes.plot.left);
    expect(slots.at(-1)?.[1]).toBeCloseTo(axes.plot.right);
    expect(slots[0]?.[1]).toBeCloseTo(slots[1]?.[0] as number);
    for (const [i, place] of [0, 10, 40].entries()) {
      const px = axes.x.toPx(place);
      expect(px).toBeGreaterThanOrEqual(slots[i]?.[0] as number);
      expect(px).toBeLessThanOrEqual(slots[i]?.[1] as number);
    }
  });

  it("draw the largest count at full height, on either scale", () => {
    for (const countScale of ["linear", "log"] as const) {
      const { sizeOf } = layOutHistograms(chart({ countScale }));
      expect([sizeOf(0), sizeOf(8)]).toEqual([0, 1]);
    }
    expect(layOutHistograms(chart({ countScale: "log" })).sizeOf(1)).toBeGreaterThan(0.2);
  });

  it("has more than one mark below a narrow chart", () => {
    const marks = (domain: [number, number]): string[] =>
      layOutHistograms(chart({ widthPx: 230, domain })).xMarks.map(({ label }) => label);
    expect(marks([-3.3, 2.7])).toEqual(["−2", "0", "2"]);
    expect(marks([-5, 10])).toEqual(["0", "10"]);
  });

  it("can span the whole range of float64", () => {
    const widest: Profile = {
      left: Float64Array.of(-1.7e308),
      right: Float64Array.of(1.7e308),
      count: Float64Array.of(3),
      place: 0,
      color: "#000000",
    };
    for (const valueScale of ["linear", "symlog"] as const) {
      const layout = layOutHistograms(chart({ profiles: [widest], domain: [-1.7e308, 1.7e308], valueScale }));
      expect(layout.xMarks.every(({ value }) => Number.isFinite(layout.axes.x.toPx(value)))).toBe(true);
      expect(outlineOf(widest, layout, 200, true).every(Number.isFinite)).toBe(true);
    }
  });

  it("have no time axis when alone", () => {
    const { y2Marks, baselines, axes } = layOutHistograms(chart({ profiles: [profile(5, [1, 2])] }));
    expect(y2Marks).toEqual([]);
    expect(baselines).toEqual([axes.plot.bottom]);
  });
});

function outlineOf(profile: Profile, layout: HistogramLayout, baselinePx: number, isStepped: boolean): number[] {
  const points: number[] = [];
  outliner(layout, isStepped)(profile, baselinePx, (x, y) => points.push(x, y));
  return points;
}

describe("outlines", () => {
  it("go through the middles of bins, without their empty ends", () => {
    const layout = layOutHistograms(chart());
    const outline = outlineOf(chart().profiles[0] as Profile, layout, 200, false);
    const at = layout.value.toPx;
    expect(outline).toEqual([at(1), 200, at(1.5), 200 - layout.ridgePx, at(2.5), 200 - layout.ridgePx / 4, at(3), 200]);
    expect(outlineOf(profile(0, [0, 0]), layout, 200, false)).toHaveLength(0);
  });

  it("show every stored bucket, however thin", () => {
    const thin: Profile = {
      left: Float64Array.of(1, 2),
      right: Float64Array.of(1, 3),
      count: Float64Array.of(8, 4),
      place: 0,
      color: "#000000",
    };
    const layout = layOutHistograms(chart({ profiles: [thin], isStepped: true }));
    const outline = outlineOf(thin, layout, 200, true);
    expect((outline[4] as number) - (outline[0] as number)).toBeCloseTo(1);
    expect(outline).toHaveLength(16);
  });

  it("leave out what a log axis cannot show", () => {
    const mixed: Profile = {
      left: Float64Array.of(-2, -1, 1),
      right: Float64Array.of(-1, 1, 3),
      count: Float64Array.of(5, 5, 5),
      place: 0,
      color: "#000000",
    };
    const layout = layOutHistograms(chart({ profiles: [mixed], isStepped: true, valueScale: "log", domain: [0.1, 3] }));
    expect(outlineOf(mixed, layout, 200, true).every(Number.isFinite)).toBe(true);
    // Two that meet: down to the baseline only at the ends.
    expect(outlineOf(mixed, layout, 200, true)).toHaveLength(12);
  });
});

describe("what is pointed at", () => {
  it("is the ridge in front", () => {
    const charted = chart();
    const layout = layOutHistograms(charted);
    const x = layout.value.toPx(2.5);
    expect(findHistogram(charted, layout, x, layout.axes.plot.bottom - 5)).toEqual({ profile: 2, bucket: 2 });
    const behind = (layout.baselines[0] as number) - layout.ridgePx * 0.9;
    expect(findHistogram(charted, layout, layout.value.toPx(1.5), behind)).toEqual({ profile: 0, bucket: 1 });
  });

  it("is the nearest line of an overlay, and the cell of a heat map", () => {
    const overlay = chart({ mode: "overlay" });
    const layout = layOutHistograms(overlay);
    expect(findHistogram(overlay, layout, layout.value.toPx(1.5), layout.axes.y.toPx(7.5))).toEqual({
      profile: 0,
      bucket: 1,
    });
    const heat = chart({ mode: "heat" });
    const cells = layOutHistograms(heat);
    const [start, end] = cells.slots[1] as readonly [number, number];
    expect(findHistogram(heat, cells, (start + end) / 2, cells.value.toPx(2.5))).toEqual({ profile: 1, bucket: 2 });
    expect(findHistogram(chart({ profiles: [] }), layout, 0, 0)).toBeNull();
  });

  it("is a point within reach, otherwise nothing", () => {
    const points: Profile = {
      left: Float64Array.of(1, 3),
      right: Float64Array.of(1, 3),
      count: Float64Array.of(1, 1),
      place: 0,
      color: "#000000",
    };
    const { value } = layOutHistograms(chart({ profiles: [points] }));
    expect([value.toPx(1) + 2, value.toPx(2)].map((px) => bucketAt(points, value, px))).toEqual([0, -1]);
  });

  it("has its percentile among all values", () => {
    expect(shareAt(profile(0, [2, 6, 2]), 1, 10, 20)).toEqual([0.6, 0.9]);
    expect(shareAt(profile(0, [0]), 0, 0, 0)).toEqual([Number.NaN, Number.NaN]);
  });
});
