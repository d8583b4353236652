// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { type Stroke, toSeries, WHOLE_VIEW } from "../../../chart/model";
import type { CardLine } from "../../../lines/card_model";
import { drawSvg, toPicture } from "./card_picture";
import type { CardDrawing } from "./export_drawings";

const stroke: Stroke = { color: "#123456", widthPx: 1.6, alpha: 1, dash: [], axis: "left" };
const line = (run: string, role: CardLine["role"] = "smoothed", tag = "loss"): CardLine => ({
  run,
  tag,
  role,
  generation: 1,
  total: 3,
  series: toSeries(new Float64Array([0, 1]), new Float64Array([1, 2])),
});
const drawing = (lines: readonly CardLine[], change: Partial<CardDrawing> = {}): CardDrawing => ({
  spec: { id: "loss", tags: ["loss"], right: [] },
  lines,
  strokes: lines.map(() => stroke),
  areas: [],
  firstFound: 0,
  breaksFalls: false,
  x: "step",
  xKind: "step",
  smoothing: { kind: "none", amount: 0 },
  groups: null,
  widthPx: 400,
  heightPx: 200,
  xScale: "linear",
  yScale: "linear",
  y2Scale: "linear",
  cutsOutliers: false,
  view: WHOLE_VIEW,
  ...change,
});
const options = { title: (run: string) => `<${run}>`, hasLegend: true, widthPx: 400, heightPx: 200 };

describe("toPicture", () => {
  it("names found lines only, by run, group and tag", () => {
    expect(
      toPicture(drawing([line("a", "raw"), line("a")], { firstFound: 1 }), options).legend.map((entry) => entry.label),
    ).toEqual(["<a>"]);
    expect(toPicture(drawing([line("lr=1", "center")]), options).legend.map((entry) => entry.label)).toEqual([
      "lr=1 (n=3)",
    ]);
    const panel = drawing([line("a"), line("a", "smoothed", "lr")], {
      spec: { id: "p", tags: ["loss", "lr"], right: [] },
    });
    expect(toPicture(panel, options).legend.map((entry) => entry.label)).toEqual(["<a> · loss", "<a> · lr"]);
    expect(toPicture(panel, { ...options, hasLegend: false }).legend).toEqual([]);
  });

  it("says how many names it left out", () => {
    const { legend } = toPicture(drawing(Array.from({ length: 1_000 }, (_, i) => line(`r${i}`))), options);
    expect(legend).toHaveLength(61);
    expect(legend.at(-1)?.label).toBe("and 940 more");
  });
});

describe("drawSvg", () => {
  it("is one document, whatever the names and however many charts", () => {
    const parse = (svg: string): Document => new DOMParser().parseFromString(svg, "image/svg+xml");
    const one = parse(drawSvg([drawing([line("a")])], options));
    expect(one.querySelector("parsererror")).toBeNull();
    expect([...one.querySelectorAll("text")].map((text) => text.textContent)).toContain("<a>");
    const three = parse(drawSvg([drawing([line("a")]), drawing([line("b")]), drawing([line("c")])], options));
    expect(three.querySelector("parsererror")).toBeNull();
    const ids = [...three.querySelectorAll("clipPath")].map((clip) => clip.id);
    expect(new Set(ids).size).toBe(3);
    expect([...three.querySelectorAll(".lines path")]).toHaveLength(3);
    expect(Number(three.documentElement.getAttribute("width"))).toBe(
      2 * Number(one.documentElement.getAttribute("width")),
    );
  });
});
