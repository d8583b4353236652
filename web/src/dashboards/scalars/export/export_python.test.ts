// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { type Area, type Stroke, toSeries, WHOLE_VIEW } from "../../../chart/model";
import type { CardLine } from "../../../lines/card_model";
import type { CardDrawing } from "./export_drawings";
import { type CodeContext, MAX_LEGEND, toPython } from "./export_python";

const context: CodeContext = {
  locations: ["logs/a", "b"],
  title: (run) => run.toUpperCase(),
  center: "median",
  spread: "minmax",
};
const line = (run: string, role: CardLine["role"] = "smoothed", tag = "loss"): CardLine => ({
  run,
  tag,
  role,
  generation: 1,
  total: 3,
  series: toSeries(new Float64Array([0, 1]), new Float64Array([1, 2])),
});
const stroke = (change: Partial<Stroke> = {}): Stroke => ({
  color: "#123456",
  widthPx: 1.6,
  alpha: 1,
  dash: [],
  axis: "left",
  ...change,
});

function drawing(lines: readonly CardLine[], change: Partial<CardDrawing> = {}): CardDrawing {
  return {
    spec: { id: "loss", tags: ["loss"], right: [] },
    lines,
    strokes: lines.map(() => stroke()),
    areas: [],
    firstFound: 0,
    breaksFalls: false,
    x: "step",
    xKind: "step",
    smoothing: { kind: "none", amount: 0 },
    groups: null,
    widthPx: 640,
    heightPx: 400,
    xScale: "linear",
    yScale: "linear",
    y2Scale: "linear",
    cutsOutliers: false,
    view: WHOLE_VIEW,
    ...change,
  };
}

describe("toPython", () => {
  it("names directories, runs, colours and smoothing", () => {
    const code = toPython([drawing([line("a")], { smoothing: { kind: "ema", amount: 0.6 } })], context);
    expect(code).toContain('log = runglass.open("logs/a", "b")');
    expect(code).toContain('("a", "A", "#123456"),');
    expect(code).toContain('x, y = log.line(run, "loss", x="step", smoothing=("ema", 0.6))');
    expect(code).toContain("figsize=(6.4, 4)");
  });

  it("writes names that no string breaks out of", () => {
    const evil = 'a"); import os; os.remove("x") #\n\\';
    expect(toPython([drawing([line(evil)])], context)).toContain(`(${JSON.stringify(evil)}, `);
  });

  it("draws the raw line behind, bands with their runs, and tags on their side with their dash", () => {
    const raw = drawing([line("a", "raw"), line("a")], {
      firstFound: 1,
      strokes: [stroke({ alpha: 0.24, widthPx: 1 }), stroke()],
    });
    expect(toPython([raw], context)).toContain("linewidth=1, alpha=0.24, zorder=1");
    const area: Area = {
      table: new Float64Array([0]),
      low: new Float64Array([0]),
      high: new Float64Array([1]),
      color: "#123456",
      alpha: 0.2,
      axis: "left",
    };
    const band = toPython(
      [drawing([line("lr=1", "center")], { areas: [area], groups: [{ label: "lr=1", runs: ["s0", "s1"] }] })],
      context,
    );
    expect(band).toContain('("lr=1 (n=3)", "#123456", ["s0", "s1"]),');
    expect(band).toContain('center="median", spread="minmax"');
    const right = drawing([line("a"), line("a", "smoothed", "lr")], {
      spec: { id: "p", tags: ["loss", "lr"], right: ["lr"] },
      strokes: [stroke(), stroke({ axis: "right", dash: [8, 4], widthPx: 2 })],
    });
    const code = toPython([right], context);
    expect(code).toContain("right = axes.twinx()");
    expect(code).toContain("right.plot(x, y, color=color, linewidth=2, linestyle=(0, (4, 2)), label=label)");
    expect(code).toContain('"A · lr"');
  });

  it("keeps the dashes of each run", () => {
    const code = toPython(
      [
        drawing([line("a/train"), line("a/val"), line("b/train")], {
          strokes: [stroke({ dash: [5, 3], widthPx: 1 }), stroke(), stroke({ dash: [5, 3], widthPx: 1 })],
        }),
      ],
      context,
    );
    const [, dashed, solid] = code.split("for run, label, color in [");
    expect(dashed).toMatch(/"a\/train"[^]*"b\/train"[^]*linestyle=\(0, \(5, 3\)\)/);
    expect(solid).toContain('"a/val"');
    expect(solid).not.toContain("linestyle");
  });

  it("keeps scales and limits that were set, and leaves automatic ones alone", () => {
    const set = toPython(
      [drawing([line("a")], { xScale: "symlog", yScale: "log", view: { x: [0.5, 10], y: [0.1, 3], y2: null } })],
      context,
    );
    expect(set).toContain('axes.set_xscale("symlog", linthresh=1)');
    expect(set).toContain('axes.set_yscale("log")');
    expect(set).toContain("axes.set_xlim(0.5, 10)");
    expect(set).toContain("axes.set_ylim(0.1, 3)");
    expect(toPython([drawing([line("a")])], context)).not.toMatch(/set_[xy](lim|scale)/);
  });

  it("leaves the legend out when it would cover the chart", () => {
    const many = Array.from({ length: MAX_LEGEND + 1 }, (_, i) => line(`run${i}`));
    expect(toPython([drawing(many)], context)).not.toContain("legend(");
    expect(toPython([drawing(many.slice(1))], context)).toContain("legend(");
  });

  it("puts several charts into one figure", () => {
    const code = toPython([drawing([line("a")]), drawing([line("b")]), drawing([line("c")])], context);
    expect(code).toContain("plt.subplots(2, 2, figsize=(12.8, 8)");
    expect(code).toContain("axes = grid.flat[2]");
    expect(code).toContain('grid.flat[-1].axis("off")');
  });
});
